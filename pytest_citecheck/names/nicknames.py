"""Short forms of given names in many languages, and spellings of one name that no general rule brings together.

Compiled from general knowledge of usage; only folded (lower-case ASCII) forms. A form may belong to several
groups (``alex``, ``sam``): two forms are taken for the same name if they share any group.
"""

from __future__ import annotations

__all__ = ["same_given_name"]

_CONTINUED = "\n    "
_GROUPS = """
abdelrahman abdulrahman abdul abdel
abdullah abdul abdallah abdulla
abdurrahman abdul
abigail abby gail
abraham abram abe bram avi avraham brahim ibrahim
adrian adriaan ad arie adriano hadrian
agnieszka aga
ahmed ahmad ahmet achmad
albert al bert bertie alberto berto
aleksandra ola
alexander alex sasha sascha alec sandy aleksandr aleksandar alexandre alessandro aleksander alejandro oleksandr alejo alek
    iskander aleks olek oleksander xander sander lex alistair alasdair alexandros alekos sasa
alexandra alex sasha sandra alexa
alexey alexei aleksei alyosha alexis oleksii aleksey
alfonso poncho fonso
alfred alf fred
amanda mandy
anastasia nastya stasya anastasiya
anastasios tasos anastassios anastasis
anatoly tolya
andreas anders
andrew andy drew andrei andrey andreas andre andrzej andrea andriy andrej andrejs ondrej
angela angie
ann anne anna annie anya hanna hannah ana
anthony tony antony antonio antoine anton toni tonio toine
antonius anton ton toon antoon toni
apostolos tolis
archibald archie
aristides aris aristeidis
arkadi arik ariel arie aryeh
arkady arkadiy
arthur art arturo artur
athanasios thanasis thanos nasos sakis
augustine gus agustin
barbara barb babs
bartholomew bart bartosz bartlomiej bartek
bartolome bart
baruch benedict boruch
beatrice bea beatriz trixie
benedikt ben benny bene benedetto benoit benito benedict
benjamin ben benny beni binyamin benno
bernard bernie bernhard
bogdan bohdan
boguslaw bogus
boris borya
bradley brad
brigitte gitte bridget birgit brigid
burton burt
calvin cal
cameron cam
caroline carrie carol carolina lina
catherine katherine kate katie kathy cathy katharine kathryn katarina katharina katerina aikaterini ekaterina katsiaryna
    katarzyna kasia katya kaja
    karin cate kat cath kitty katja katrin trine tina
chaim haim hayim
charalampos haris charis babis harris
charles charlie chip chuck carl karl carlos
christine christina chris tina kristina kristin
christopher chris kit christoph christophe cristobal
christos chris christodoulos
chrysostomos chris
clarence clare
clifford cliff
clinton clint
cornelius cornelis kees cees cor nelis niels
curtis curt
cynthia cindy
daniel dan danny dany daniele danilo dani danila
david dave davide davy dudi dudu dawid
deborah deb debbie debra
diederik durk dirk dick rik
dimitrios dimitris dimitri jim mitsos mitch
dmitry dmitri dmitriy dmitrii dima dimitri
dominic dom dominik domingo domenico mimmo
donald don
dorothy dot dottie
douglas doug
edmund ed ned ted edmond
eduardo lalo edu
edward ed eddie ted ned eduard eduardo edoardo edvard eddy
efstathios stathis stratis
efstratios stratos
eitan ethan etan
eleanor ellen nell
eleftherios lefteris
eleni helen helena elena lena ellen nelly helene
elias ilias eli ilya ilia elijah
eliezer eli elazar lazar
elizabeth liz beth betty eliza lisa elisabeth betsy ela elisa els liesbeth lise libby bess elzbieta erzsebet
emmanuel manny manuel emanuel emmanouil manolis manu manolo manel
enrique quique kike enric
eric erik erick
ernest ernie ernst ernesto neto
eugenio geno
euphrosyne effrosyni efrosini efi effie
evangelos vangelis vaggelis vagelis
evgeny evgenii yevgeny eugene gene zhenya evgenij ievgen eugenio eugen
felix feliks
ferdinand ferdi fernando fernand nando hernan hernando
florence flo
francis frank francois francisco francesco paco pancho curro cesc francesc franz frans ferenc chico kiko xico cisco
    frantisek
franklin frank franklyn
frederick fred freddy friedrich federico frits fritz frederic frederik fredrik rico rik
gabriel gabe gabi gabriele gavriel
geoffrey geoff jeffrey jeff
george yuri yury iouri iurii jorge georg georges georgy giorgio giorgos georgios
gerald gerry jerry
gerard gert gerhard gerardo geert gerrit gerry
gerasimos makis
gideon gidi gid
gilbert gil gilberto bert
giuseppe beppe peppe pino
gonzalo gonza
gregory greg grigory grisha
grzegorz gregory grzesiek greg
guido guy
gustav gustavo gus gustaf
gwendolyn gwen
harald harry
harold harry hal
hasan hassan
heinrich heinz heiner hinrich heiko
hendrik henk rik henry
henrietta etta hettie
henry harry hank henri heinrich enrique henrik
herbert herb bert
hildegard hilde
howard howie
hubert bert huub hub
husain hussein hossein huseyin hussain hosein
iasonas jason iason
ignacio nacho inaki ignatius ignasi
immanuel manu emmanuel
ioannis john yiannis gianni
irina irene
isaac yitzhak itzhak ike itzik izaak isak
isabel isabelle izzy bella
isidore izzy isidro isidor
israel yisrael srulik
ivan vanya ivo
jacob jake jakob yakov kobi koby jaap jaco yaakov yaacov iago jacopo giacomo
jacqueline jackie
james jim jimmy jamie jamey seamus hamish giacomo jacques
janet jan
jaroslaw jarek
jaume james jacobo jaime
jennifer jen jenny
jeremy jerry jem jeremiah jeremie
jerome jerry hieronymus jeroen
jessica jessie jess
jesus chus chuy
jillian jill gill gillian juliana
joachim jochen achim joaquin joakim quim quino
johannes hannes joop hans jens han
john jack johnny jon johann johannes jean juan ivan giovanni jan hans ioannis giannis yannis yiannis ian sean evan
    eoin joao jens johnnie iannis yanis vanya yohanan
jonathan jon yonatan yoni
jordi george
joseph joe joey josef jose jozef giuseppe yosef yossi yosi pepe pep josep sepp joep jef jos zeca ze yusuf youssef
    iosif
joshua josh
juan juanjo xoan
judith judy
julian jules
katherine kit kate kay
kathleen kathy kath
kenneth ken kenny
kimberly kim
konrad conrad kurt
konstantinos kostas kosta costas konstantin kostya dinos gus constantine constantinos kostis costis
krzysztof krzys chris christopher
kyriakos kiriakos kyros kyriacos
lambert bert lambertus
lawrence larry laurence lorenzo
leila leili leyla lily
leonard leo len leonid leonardo lennart leonhard
leopold leo poldi
leslie les
lester les
ljubomir lubo lubomir
lorenz laurens lars larry renzo lorenzo laurent
louis lou luis ludwig luigi lewis
lucas luke luc luca lukas lukasz luka
ludovic ludo ludwig
luis lluis lucho louis
maciej matthias maciek
magdalena magda lena madeleine maddie
mahmoud mahmud mahmood mido
malgorzata gosia margaret
manfred fred manni
manuel lolo manolo manu
margaret maggie meg peggy greta rita margarita margot marge margo gretchen grete madge daisy margarete marguerite
marinus marijn rien mart
mark marc marcus markus marco
martin marty
mary maria marie molly polly miriam mariam maryam marija marya masha marika
matthew matt mattie matthieu matthias mathias matteo matteus matei matej mats thijs matthijs
matthias hias thias
maurice moritz mauricio maurizio morris moe
maxim max maksim maksym maxime massimo
maximilian max
maxwell max
melanie mel
michael mike mick mikhail mykhaylo mykhailo michel miguel michele michal misha micha mihai mihaly mikael mikkel mischa misja
    mickey mikey michiel miki michail michalis mihalis
milton milt
mitchell mitch
mohammed mohammad md muhammad mohamed mohamad muhammed mehmet mo muhamad mohd mahomed
montgomery monty
mordechai moti motti mordecai
morton mort
moses moshe moshik moise moises musa
mykola nicholas kolya nikolai
nadezhda nadia nadya
natalia natasha natalya natalie nataliia
nathan nate nathaniel nat nati natan
nathaniel nate nathanael
nelson nels
nicholas nick nicolas nikolaus nikolai nikolay niklas nico nicola niccolo nicky klaus claus nikos nikolaos niels
    nils kolya nicolo nicolaas klaas miklos mikolaj
norbert bert
norman norm
octavio tavo
olga olya
oliver ollie olivier
oswald ozzie oswaldo
pamela pam
panagiotis panos takis panayiotis
parashkev paris paraskevas
pasquale lino pascal pasqual
patricia pat patty tricia trish
patrick pat paddy
paul pavel pablo paolo pawel pau pal pol pasha pavlo pavlos paulo
peter pete piotr pyotr petr pedro pierre pietro petros petar per peer pekka piet pieter piero petya petter petrus
    perico petru
philip phil phillip philippe felipe philipp
predrag pedja
prudence pru
quentin quint quinten quintin
rachel rae
radoslaw radek
rafael rafi rafa raphael raffaele rafal
ralph ralf rolf raoul raul
randolph randy randall
raymond ray ramon raimundo raimon reimund
rebecca becky
reginald reg
reinhard reiner hardy
richard rick dick rich ricky ricardo ritchie riccardo rik rikard ryszard
rivka rebecca riki
robert bob rob bobby robbie bert roberto robbert robi robin
roderick rod rick rodrigo
rodney rod
roland rolando rollo orlando
ronald ron
rostislav ross slava
rudolf rudi rudy rolf ruud
ruslan russ
russell russ
salvador salva salvatore toto turi sal
samantha sam
samuel sam shmuel sami sammy
santiago santi yago
sebastian seb bastian bas basti sebastien sebastiano sebastiaan
sergey sergei serge sergio serhii serhiy seryozha sergej sergi
sharon shari
shimon simon simone shimi szymon simeon
shlomo shlomi solomon salomon
sidney sid sydney
sigmund sigi siegmund zygmunt
slawomir slawek
solomon sol
sophia sophie sofia
spyridon spyros spiros
stanislaw stan stas staszek stanislav stanislas
stanley stan
stephanie steph
stephen steven steve stefan stephane esteban stephan stefano stevo stevan istvan pista etienne estevan stipe steffen
    stepan szczepan stefanos
stuart stu stewart
stylianos stelios
suleiman solomon soliman suleyman sulaiman
susan sue suzanne susanna suzie suzy zuzana zuzanna shoshana susana
svetlana sveta lana
sylvester sly
tadeusz tadek thaddeus
tatiana tanya tania tatjana
terence terry
theodore theodoros ted theo theos fyodor fedor teodor fedya dorus teo todor
theresa teresa terry tess terri resi teresita
thomas tom tommy tomas tommaso thom tomasz tomek tomaz tamas toma tomi
timothy tim
tobias toby tobi tobie
tzvi zvi zvika
ulrich uli ueli ulrik
ulrike uli ulli
valentin val
valentina valya tina
valerie val
vasileios vasilis bill
vasily vasya vasilii basil wasily vasil
venkatesh venky venkat
veronica ronnie vera veronika
victor viktor vic
victoria vicky vicki tori
vincent vince vincenzo vicente enzo vinny vin chente vincenz
virginia ginny ginger
vlad vladimir volodymyr wladimir
vladimir volodya vova wlodzimierz
vladislav vlad wladyslaw slava
vojtech vojta vojtek adalbert
vyacheslav slava viacheslav
walter walt wally wout wouter gualtiero
wesley wes
wilhelm william will bill billy willy willie liam guillaume wim willem guillermo guilherme guglielmo memo vilem
    willi
wojciech wojtek
wolfgang wolf wolfi
xavier javier javi xavi saverio
yakov yasha jacob kobi
yehoshua joshua shuki yoshua
yehuda judah yuda udi
yevgenia evgenia eugenia zhenya
yousef joseph youssef yusuf joe
zachary zach zack zac zak
zbigniew zbyszek
zeev wolf
"""


def _index() -> dict[str, frozenset[int]]:
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(_GROUPS.strip().replace(_CONTINUED, " ").splitlines()):
        for form in line.split():
            groups.setdefault(form, set()).add(number)
    return {form: frozenset(numbers) for form, numbers in groups.items()}


_GROUPS_OF = _index()
_NONE: frozenset[int] = frozenset()


def same_given_name(first: str, second: str) -> bool:
    """Whether two folded given names are known forms of one name (``bob``, ``robert``)."""
    return not _GROUPS_OF.get(first, _NONE).isdisjoint(_GROUPS_OF.get(second, _NONE))
