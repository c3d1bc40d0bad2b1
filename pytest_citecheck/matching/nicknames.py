"""English short forms of given names, and spellings of one name that no general rule brings together.

Compiled from general knowledge of usage; only folded (lower-case ASCII) forms. A form may belong to several
groups (``alex``, ``sam``): two forms are taken for the same name if they share any group.
"""

from __future__ import annotations

__all__ = ["same_given_name"]

_GROUPS = """
abigail abby gail
abraham abram abe bram
albert al bert bertie
alexander alex sasha sascha alec sandy aleksandr alexandre alessandro aleksander alejandro oleksandr
alexandra alex sasha sandra alexa
alfred alf fred
andrew andy drew andrei andrey andreas andre andrzej andrea
ann anne anna annie anya hanna hannah ana
anthony tony antony antonio antoine anton
barbara barb babs
benjamin ben benny
bernard bernie bernhard
bradley brad
catherine katherine kate katie kathy cathy katharine kathryn katarina katharina ekaterina katarzyna kasia katya
charles charlie chuck carl karl carlos
christine christina chris tina kristina kristin
christopher chris kit christoph christophe cristobal
cynthia cindy
daniel dan danny daniele
david dave davide
deborah deb debbie debra
dmitry dmitri dmitriy dmitrii dima
donald don
dorothy dot dottie
douglas doug
edward ed eddie ted ned eduard eduardo
eleanor ellen nell
elizabeth liz beth betty eliza lisa elisabeth betsy
emmanuel manny manuel emanuel emmanouil manolis
eric erik erick
evgeny evgenii yevgeny eugene gene
florence flo
francis frank francois francisco francesco paco
frederick fred freddy friedrich federico
gabriel gabe
geoffrey geoff jeffrey jeff
george yuri yury iurii jorge georg georges georgy giorgio giorgos georgios
gerald gerry jerry
gregory greg grigory grisha
harold harry hal
henry harry hank henri heinrich enrique henrik
howard howie
irina irene
isabel isabelle izzy bella
jacob jake jakob yakov
jacqueline jackie
james jim jimmy jamie
janet jan
jennifer jen jenny
jessica jessie jess
john jack johnny jon johann johannes jean juan ivan giovanni jan hans ioannis giannis yannis yiannis ian sean
jonathan jon yonatan yoni
joseph joe joey josef jose jozef giuseppe
joshua josh
judith judy
kenneth ken
konstantinos kostas kosta costas konstantin kostya
kimberly kim
lawrence larry laurence lorenzo
leonard leo len leonid
leslie les
louis lou luis ludwig luigi lewis
margaret maggie meg peggy greta rita
mark marc marcus markus marco
martin marty
mary maria marie molly polly
matthew matt mattie matthieu matthias mathias matteo
maximilian max
maxwell max
michael mike mick mikhail michel miguel michele michal misha
mitchell mitch
mohammed mohammad muhammad mohamed mohamad muhammed mehmet
nathan nate nathaniel nat nati
nicholas nick nicolas nikolaus nikolai nikolay niklas nico nicola niccolo
olga olya
oliver ollie olivier
pamela pam
patricia pat patty tricia trish
patrick pat paddy
paul pavel pablo paolo pawel
peter pete piotr pyotr petr pedro pierre pietro
philip phil phillip philippe felipe philipp
rachel rae
raymond ray
rebecca becky
reginald reg
richard rick dick rich ricky ricardo
robert bob rob bobby robbie bert roberto
ronald ron
russell russ
ruslan russ
samantha sam
samuel sam
sergey sergei serge sergio
sharon shari
solomon sol
sophia sophie sofia
stanley stan
stephanie steph
stephen steven steve stefan stephane esteban stephan
susan sue suzanne susanna suzie
sylvester sly
terence terry
theodore theodoros ted theo fyodor fedor
theresa teresa terry tess
thomas tom tommy tomas tommaso
timothy tim
tobias toby
valentin val
valerie val
victor viktor vic
vasileios vasilis bill
victoria vicky vicki tori
vincent vince
vlad vladimir volodymyr wladimir
walter walt wally
wilhelm william will bill billy willy willie liam guillaume
zachary zach zack zac zak
"""


def _index() -> dict[str, frozenset[int]]:
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(_GROUPS.strip().splitlines()):
        for form in line.split():
            groups.setdefault(form, set()).add(number)
    return {form: frozenset(numbers) for form, numbers in groups.items()}


_GROUPS_OF = _index()
_NONE: frozenset[int] = frozenset()


def same_given_name(first: str, second: str) -> bool:
    """Whether two folded given names are known forms of one name (``bob``, ``robert``)."""
    return not _GROUPS_OF.get(first, _NONE).isdisjoint(_GROUPS_OF.get(second, _NONE))
