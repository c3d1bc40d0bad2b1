"""Surnames of East and South-East Asia: the names that databases print in either order. Given names in Pinyin, and those
that are taken beside them.

The romanised list holds the frequent Chinese (Pinyin and older romanisations), Korean and Vietnamese surnames
and the most frequent Japanese ones, folded to lower-case ASCII. It only ever makes a comparison more lenient.
"""

from __future__ import annotations

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["is_adopted_name", "is_asian_surname", "is_native_script", "is_pinyin", "split_native"]

_ROMANISED_LIST = """
abe ai an ang aoki au bae baek bai ban bao bi bian bo bu bui byun cai cao cen cha chai chan chang chao chau
che chen cheng cheong cheung chi chiang chien chin chiu cho choe choi chon chong chou chow choy chu chua
chuang chui chun chung cui dai dam dang dao deng di ding dinh do doan dong dou du duan duong e endo eom fan
fang fei feng fong foo fu fujii fujita fukuda fung gan gang gao ge geng gim go goh gong goto gou gu guan gui
guo ha hahn ham han hao hara hasegawa hayashi he ho hoang hon hong hou hsia hsiao hsieh hsu hu hua huang hui
hung huo huynh hwang hyun ikeda im inoue ishikawa ito jang jee jen jeon jeong ji jia jian jiang jiao jie jin
jing jo joo joung ju jun jung kan kang kao kato ke kho khoo kim kimura ko kobayashi koh kondo kong koo ku
kuan kung kuo kwak kwan kwok kwon la lai lam lan lang lau law le lee lei leng leong leung li lian liang liao
lim lin ling liou liu lo loh long lou low lu luan lui luo luong luu lv ly lyu ma maeda mai man mao matsumoto
mei men meng mi miao min ming mo moon mori mou mu murakami na nakagawa nakajima nakamura nakano nam ng ngo
nguyen ni nie ning nishimura niu no noh ogawa oh okada ong ono ou ouyang oyang pan pang park pei peng pham
phan phuc phung pi piao ping pu pyo qi qian qiang qiao qin qiu qu quach quan quang rao ren rhee ro roh rong
ruan rui ryu saito sakamoto sasaki sato seo seol seong shan shang shao shen sheng shi shih shimizu shin shou
shu shuai si sim sin sit so soh son song soo su suh sui sun sung suzuki szeto ta tai takagi takahashi
takeuchi tam tamura tan tanaka tang tao teng teo teoh thai tian tien ting to tong tran trieu trinh truong
tsai tsang tse tseng tso tsui tu tung ueda vo vu vuong wada wan wang watanabe wei wen weng wi won wong woo
wu xi xia xian xiang xiao xie xin xing xiong xu xuan xue yamada yamaguchi yamamoto yamashita yamazaki yan
yang yao yau ye yeh yen yeo yeung yi yim yin ying yip yong yoo yoon yoshida you yu yuan yue yuen yun zang
zeng zha zhai zhan zhang zhao zhen zheng zhi zhong zhou zhu zhuang zhuge zhuo zong zou zuo
"""
_ROMANISED = frozenset(_ROMANISED_LIST.split())

_ADOPTED_LIST = """
aaron abby adam adrian alan albert alex alfred alice allen alvin amanda amy andrew andy angela angie anita anna annie
anthony april arthur austin barry ben benjamin benny betty bill bob bobby bonnie brandon brian bruce bryan calvin carl
carol caroline carrie catherine cathy charles charlie cherry chloe chris christina christine christopher cindy claire
connie crystal dan daniel danny david dennis denny derek diana donald doris dorothy douglas eddie edison edmond edward
edwin elaine eleanor elizabeth ellen emily emma eric erica ernest ethan eugene eva evan evelyn fiona flora florence
francis frank fred freddy gary gavin gene george gerald gilbert gloria gordon grace greg hannah harold harrison harry
harvey hazel helen henry herbert howard hugo humphrey ian irene iris isaac ivan ivy jack jackie jackson jacky jacob james jamie
jane janet jason jasmine jay jean jeff jeffrey jennifer jenny jeremy jerry jesse jessica jessie jill jim jimmy joan
joanna joanne joe john johnny johnson jonathan josef joseph josh joshua joy joyce judy julia julie julian justin karen kate
kathy katherine keith kelly kelvin ken kenneth kenny kevin kitty lance larry laura laurence lauren lawrence leo leon
leonard leslie lewis lillian lily linda lisa louis louise lucas luis lucy luke lydia maggie marcus margaret maria mark
martin marvin mary mason matt matthew max megan melissa michael michelle mike mina monica morris nancy natalie nathan
nelson nicholas nick nicole nina norman oliver olivia oscar owen pamela patricia patrick paul peggy penny perry peter
phil philip phoebe queenie rachel ray raymond rebecca rex richard ricky rita robert robin roger ronald rose roy ruby
russell ruth ryan sally sam samantha samuel sandra sandy sarah scott sean selina serena sharon sherry shirley simon
sophia sophie spencer stanley stella stephanie stephen steve steven stuart sunny susan sylvia ted teresa terry thomas
tiffany tim timothy tina toby tom tommy tony tracy tyler vanessa vera veronica vicky victor victoria vincent violet
vivian wallace walter warren wayne wendy wesley wilfred will william willie wilson winnie winston yolanda yvonne zoe
"""
_ADOPTED = frozenset(_ADOPTED_LIST.split())
_COMPOUND_LIST = (
    "欧阳 歐陽 司马 司馬 上官 诸葛 諸葛 司徒 东方 東方 夏侯 尉迟 尉遲 皇甫 慕容 令狐 南宫 南宮 长孙 長孫 宇文"
)
_COMPOUND = frozenset(_COMPOUND_LIST.split())
_NATIVE = lazy_pattern(r"[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_SYLLABLE = (
    r"(?:[zcs]h|[bpmfdtnlgkhjqxrzcsyw])?"
    r"(?:i(?:ang|ong|ao|an|ng|a|e|u|n)?|u(?:ang|ai|an|a|o|i|e|n)?|ang|eng|ong|ai|an|ao|ei|en|er|ou|a|o|e|ve?)"
)
_PINYIN = lazy_pattern(f"{_SYLLABLE}(?:{_SYLLABLE})?")


def is_adopted_name(token: str) -> bool:
    """Whether a folded given name is one that people of East Asia often take beside their own."""
    return token in _ADOPTED


def is_pinyin(token: str) -> bool:
    """Whether a folded given name can be read as one or two syllables of Hanyu Pinyin (ISO 7098), without tones.

    Some names of other languages can be read so, too (Anna, Ben).
    """
    return _PINYIN.fullmatch(token) is not None


def is_asian_surname(token: str) -> bool:
    """Whether a folded token is a frequent surname of a culture that writes the family name first."""
    return token in _ROMANISED


def is_native_script(text: str) -> bool:
    """Whether the text holds Chinese, Japanese or Korean characters."""
    return not text.isascii() and _NATIVE.search(text) is not None


def split_native(name: str) -> tuple[str, str]:
    """Family and given part of an unspaced name in native script (``王伟``, ``欧阳修``), family name first."""
    length = 2 if name[:2] in _COMPOUND else 1
    return name[:length], name[length:]
