"""Places and dates as they stand after the name of a conference: "Long Beach, CA, USA, June 9-15".

Countries are listed nearly all, cities as far as large conferences have met there. A city that is not listed is
recognised by the country after it.
"""

from __future__ import annotations

import re

from pytest_citecheck.text.normal_form import plain
from pytest_citecheck.venues.words import segments, venue_words

__all__ = ["MONTHS", "OF_REGIONS", "PLACES", "without_cities"]

_MONTH_LIST = """
january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
"""
MONTHS = frozenset(_MONTH_LIST.split())

_COUNTRY_LIST = """
argentina, armenia, australia, austria, azerbaijan, bahrain, bangladesh, belarus, belgium, bolivia, bosnia and herzegovina,
brasil, brazil, bulgaria, cameroon, canada, chile, china, colombia, costa rica, croatia, cuba, cyprus, czech republic,
czechia, denmark, deutschland, dominican republic, ecuador, egypt, el salvador, england, estonia, ethiopia, finland, france,
georgia, germany, ghana, great britain, greece, guatemala, hong kong, hong kong sar, hungary, iceland, india, indonesia,
iran, iraq, ireland, israel, italia, italy, jamaica, japan, jordan, kazakhstan, kenya, korea, korea south, kuwait, latvia,
lebanon, liechtenstein, lithuania, luxembourg, macao, macao sar, macau, macau sar, macedonia, malaysia, malta, mauritius,
mexico, moldova, monaco, mongolia, montenegro, morocco, nepal, netherlands, new zealand, nigeria, northern ireland, norway,
oman, p r china, pakistan, panama, paraguay, peru, philippines, poland, portugal, pr china, prc, puerto rico, qatar,
republic of korea, romania, russia, russian federation, rwanda, saudi arabia, scotland, senegal, serbia, singapore, slovak
republic, slovakia, slovenia, south africa, south korea, spain, sri lanka, sweden, switzerland, taiwan, tanzania, thailand,
tunisia, turkey, turkiye, u k, uae, uganda, uk, ukraine, united arab emirates, united kingdom, uruguay, us, usa, uzbekistan,
venezuela, viet nam, vietnam, wales, zimbabwe
"""
_REGION_LIST = """
alabama, alaska, alberta, arizona, arkansas, bali, bavaria, british columbia, california, canary islands, catalonia,
colorado, connecticut, crete, delaware, district of columbia, florida, georgia, gran canaria, guangdong, hainan, hawai i,
hawaii, hokkaido, idaho, illinois, indiana, iowa, kansas, kentucky, lanzarote, louisiana, maine, mallorca, manitoba,
maryland, massachusetts, michigan, minnesota, mississippi, missouri, montana, nebraska, nevada, new hampshire, new jersey,
new mexico, new south wales, new york, north carolina, north dakota, nova scotia, ohio, okinawa, oklahoma, ontario, oregon,
pennsylvania, quebec, queensland, rhode island, sardinia, sicily, silicon valley, south carolina, south dakota, tenerife,
tennessee, texas, utah, vermont, victoria, virginia, washington, west virginia, wisconsin, wyoming, zhejiang,
ab, ak, az, bc, ca, co, ct, dc, d c, fl, ga, hi, il, ky, la, ma, mb, md, mi, mn, mo, mt, nb, nc, nd, nh, nj, nm, ns, nsw,
nv, ny, oh, on, or, pa, pr, qc, qld, ri, sc, sd, sk, tas, tn, tx, ut, va, vic, vt, wa, wi, wv, wy
"""
_CITY_LIST = """
aachen, aalborg, aarhus, abu dhabi, acapulco, addis ababa, adelaide, albuquerque, alexandria, amsterdam, anaheim, anchorage,
ann arbor, antwerp, athens, atlanta, atlantic city, auckland, austin, baltimore, banff, bangalore, bangkok, barcelona, bari,
basel, bath, beijing, belfast, belgrade, bellevue, bengaluru, bergen, berkeley, berlin, bern, bilbao, birmingham, boca
raton, bologna, bombay, bonn, bordeaux, boston, boulder, bratislava, brighton, brisbane, bristol, brno, bruges, brussels,
bucharest, budapest, buenos aires, buffalo, busan, cairns, cairo, calgary, cambridge, canberra, cancun, cape town, cardiff,
cartagena, catania, chania, changsha, charleston, charlotte, chengdu, chennai, chiang mai, chicago, christchurch,
cincinnati, cleveland, cologne, colorado springs, columbus, copenhagen, coral gables, corfu, cracow, da nang, dallas,
darmstadt, delft, delhi, denver, detroit, doha, dortmund, dresden, dubai, dublin, dubrovnik, dunedin, durham, edinburgh,
edmonton, eindhoven, espoo, essen, eugene, fairfax, fargo, florence, fort collins, fort lauderdale, fort worth, foster city,
frankfurt, freiburg, fukuoka, gaithersburg, galway, gdansk, geneva, genoa, ghent, glasgow, goa, gold coast, gothenburg,
granada, grand rapids, graz, grenoble, guadalajara, guangzhou, gyeongju, haifa, halifax, halkidiki, hamburg, hangzhou,
hanoi, hanover, helsinki, heraklion, hersonissos, hilton head, hiroshima, ho chi minh city, hobart, hong kong, honolulu,
houston, huntington beach, hyderabad, incheon, indianapolis, innsbruck, irvine, istanbul, ithaca, izmir, jakarta, jeju, jeju
island, jerusalem, johannesburg, juan les pins, kanazawa, kansas city, karlsruhe, kauai, key west, kiev, kigali, kingston,
knoxville, kobe, kolkata, kona, konstanz, krakow, kuala lumpur, kunming, kyiv, kyoto, la jolla, la palma, lake buena vista,
lake placid, lake tahoe, las palmas, las vegas, lausanne, leeds, leicester, leiden, leipzig, leuven, lille, lima, limassol,
limerick, linz, lisbon, lisboa, liverpool, ljubljana, london, long beach, los alamitos, los angeles, louisville, lubeck,
lugano, luxembourg, lyon, maastricht, macau, madeira, madison, madrid, magdeburg, maui, malaga, male, malmo, manchester,
manila, mannheim, marbella, marina del rey, marrakech, marrakesh, marseille, maryland, medellin, melbourne, memphis, menlo
park, mexico city, miami, miami beach, milan, milwaukee, minneapolis, miyazaki, monte carlo, monterey, montevideo,
montpellier, montreal, moscow, mountain view, mumbai, munich, munster, murcia, muscat, nagasaki, nagoya, naha, nanjing,
nancy, nantes, naples, napoli, nara, nashville, new delhi, new haven, new orleans, new york, new york city, newcastle,
newport beach, nice, niagara falls, nicosia, nottingham, novi sad, nuremberg, oahu, okinawa, oldenburg, oslo, osaka, ottawa,
oulu, oxford, padova, padua, palermo, palm springs, palma de mallorca, palo alto, paphos, paris, park city, pasadena,
passau, patras, penang, perth, perugia, philadelphia, phoenix, phuket, pisa, pittsburgh, playa blanca, playa del carmen,
porto, porto alegre, portland, portoroz, portsmouth, potsdam, prague, princeton, providence, provo, puebla, punta cana,
pusan, qingdao, quebec city, raleigh, recife, redmond, rennes, reno, reykjavik, rhodes, rhodes island, richmond, riga, rio
de janeiro, riva del garda, riverside, rochester, rome, roma, rotterdam, saarbrucken, sacramento, saint malo, saint
petersburg, salamanca, salt lake city, salvador, salzburg, san antonio, san diego, san francisco, san jose, san juan, san
mateo, san sebastian, sanibel island, sanya, santa barbara, santa clara, santa cruz, santa fe, santa margherita ligure,
santa monica, santander, santiago, santiago de compostela, santorini, sao paulo, sapporo, sarajevo, savannah, scottsdale,
seattle, sendai, seoul, seville, shanghai, sharm el sheikh, sheffield, shenzhen, shinjuku, siena, singapore, sitges,
snowbird, snowmass, sofia, sorrento, southampton, split, st andrews, st julians, st louis, saint louis, st paul, st
petersburg, stanford, stockholm, stony brook, strasbourg, stresa, stuttgart, suzhou, swansea, sydney, tahoe, taipei,
tallinn, tampa, tampere, taormina, tarragona, tel aviv, tempe, thessaloniki, tianjin, tokyo, tokushima, toronto, toulon,
toulouse, trento, trier, trieste, trondheim, tucson, tubingen, turin, torino, turku, twente, tysons corner, udine, ulm,
umea, uppsala, utrecht, valencia, valletta, vancouver, venice, verona, versailles, victoria, vienna, wien, vilamoura,
vilnius, virginia beach, waikiki, waikoloa, waikoloa village, warsaw, washington, washington dc, washington d c, wellington,
whistler, williamsburg, williamstown, winnipeg, wuhan, wuppertal, xi an, xian, xiamen, yokohama, york, zagreb, zaragoza,
zhuhai, zurich
"""


def _phrases(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(name.split()) for name in text.replace("\n", " ").split(",") if name.strip())


_COUNTRIES = _phrases(_COUNTRY_LIST) | _phrases(_REGION_LIST)
PLACES = _COUNTRIES | _phrases(_CITY_LIST)
"""Names of places as words, folded."""

_ADJECTIVE_LIST = """
african american arab arabian arctic argentine argentinian asean asia asian atlantic australasian australian austrian balkan
baltic bavarian belgian benelux brazilian british bulgarian canadian caribbean catalan central chilean chinese colombian croatian
cuban cypriot czech danish dutch eastern egyptian english estonian eurasian europe european finnish flemish french german
greek gulf hellenic hungarian iberian ibero iberoamerican icelandic indian indonesian iranian iraqi irish israeli italian
japanese jordanian kazakh korean latin latvian lebanese lithuanian macedonian maghreb malaysian mediterranean mexican
midwest midwestern moroccan nordic north northeast northern northwest norwegian pacific pakistani persian peruvian philippine
polish portuguese romanian russian saudi scandinavian scottish serbian singaporean sino slavic slovak slovene slovenian
south southeast southern southwest spanish swedish swiss taiwanese thai transatlantic tunisian turkish ukrainian vietnamese
welsh western zealand
"""
_ABBREVIATED_COUNTRIES = frozenset({"us", "usa", "uk", "uae", "prc"})
OF_REGIONS = frozenset(_ADJECTIVE_LIST.split()) | {
    name for (name, *others) in _phrases(_COUNTRY_LIST) if not others and name not in _ABBREVIATED_COUNTRIES
}
"""Words that make a conference in front of which they stand one of a country or region: "Iberian", "China"."""

_BUILDING = re.compile(
    r"\b(?:university|universit[àäéy]\w*|college|institute|school|hotel|resort|marriott|westin|hilton|hyatt|sheraton|radisson"
    r"|palau|palais|palazzo|convention|congress|cent(?:er|re)|hall|auditorium|campus|castle)\b|(?:mässan|kongresshaus)\b",
    re.IGNORECASE,
)
_CITY = re.compile(r"(?:[^\W\d_a-z][^\W\d_A-Z]+(?:['’-][^\W\d_]+)*(?:\s+|$)){1,3}")


def without_cities(text: str) -> str:
    """``text`` without what stands as a city before a country or state, and as a building before or after a place:
    "ICML 2019, Stockholm Congress Centre, Long Hill, Sweden" without "Long Hill" and the congress centre.

    A city is up to three capitalised words between commas. The first piece is none: it names the venue.
    """
    pieces = segments(plain(text))
    return ", ".join(
        piece for number, piece in enumerate(pieces) if not (_is_city(pieces, number) or _is_building(pieces, number))
    )


def _is_city(pieces: list[str], number: int) -> bool:
    inside = 0 < number < len(pieces) - 1
    return inside and _CITY.fullmatch(pieces[number]) is not None and _named(pieces[number + 1]) in _COUNTRIES


def _is_building(pieces: list[str], number: int) -> bool:
    neighbours = (pieces[number - 1], *pieces[number + 1 : number + 2]) if number else ()
    return _BUILDING.search(pieces[number]) is not None and any(_named(piece) in PLACES for piece in neighbours)


def _named(piece: str) -> tuple[str, ...]:
    """The words of a piece without those of a date."""
    return tuple(word for word in venue_words(piece) if not word.isdigit() and word not in MONTHS)
