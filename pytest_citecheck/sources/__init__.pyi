from .acl_anthology import ACL_ANTHOLOGY as ACL_ANTHOLOGY, acl_record as acl_record
from .field_catalogues import parse_doc as parse_doc
from .arxiv import ARXIV as ARXIV, arxiv_record as arxiv_record
from .base import (
    Credentials as Credentials, LARGEST_BODY as LARGEST_BODY, LARGEST_RECORD as LARGEST_RECORD, Login as Login,
    MalformedAnswerError as MalformedAnswerError, Pool as Pool, Rate as Rate, Request as Request, Response as Response,
    Role as Role, SearchStage as SearchStage, Source as Source, Terms as Terms, TitleSearch as TitleSearch,
)
from .bibtex import broken as broken, entry_record as entry_record
from .by_identifier import CRAN as CRAN
from .crossref import CROSSREF as CROSSREF, SELECT as SELECT, crossref_record as crossref_record
from .datacite import DATACITE as DATACITE, FIELDS as FIELDS, datacite_record as datacite_record
from .dblp import parse_publication as parse_publication
from .dblp_sparql import (
    DBLP_SPARQL as DBLP_SPARQL, MOST_TITLED as MOST_TITLED, beginning as beginning, query_of as query_of,
)
from .doi_org import DOI_CONTENT as DOI_CONTENT, parse_item as parse_item
from .doi_org import DOI_ORG as DOI_ORG, DOI_RA as DOI_RA
from .dump_json import json_parts as json_parts, objects as objects
from .dumps import (
    Context as Context, DumpError as DumpError, Format as Format, Head as Head, LONGEST as LONGEST, Part as Part,
    Problem as Problem,
    contents as contents, lines as lines, overlong as overlong, peek as peek,
)
from .europe_pmc import EUROPE_PMC as EUROPE_PMC, parse_result as parse_result
from .french_research import may_be_french as may_be_french
from .by_identifier import GITHUB as GITHUB
from .french_research import HAL as HAL, hal_record as hal_record
from .by_identifier import HUGGING_FACE as HUGGING_FACE
from .field_catalogues import inspire_record as inspire_record
from .library_catalogues import K10PLUS as K10PLUS
from .library_catalogues import marc_record as marc_record
from .library_catalogues import LOC as LOC
from .pubmed import (
    cited_doi as cited_doi, journal_names as journal_names, medline_notices as medline_notices,
    medline_title as medline_title, other_version as other_version,
)
from .library_catalogues import (
    OPEN_LIBRARY as OPEN_LIBRARY, open_library_record as open_library_record, parse_edition as parse_edition,
)
from .openalex import OPENALEX as OPENALEX, openalex_record as openalex_record
from .openreview import OPENREVIEW as OPENREVIEW, OPENREVIEW_V1 as OPENREVIEW_V1, parse_note as parse_note
from .parsing import (
    arxiv_id as arxiv_id, arxiv_id_of_doi as arxiv_id_of_doi, doi_name as doi_name, first_text as first_text,
    isbn_numbers as isbn_numbers, iso_date as iso_date, listing as listing, mapping as mapping,
    parse_json as parse_json, partial_year as partial_year, pmc_id as pmc_id, pubmed_id as pubmed_id,
    stated_name as stated_name, stated_parts as stated_parts, text as text, texts as texts, undivided as undivided,
    whole_number as whole_number, within_lengths as within_lengths, without_absences as without_absences,
    year_of as year_of,
)
from .proceedings import VenueYearLists as VenueYearLists
from .published_dumps import (
    DumpFile as DumpFile, ListingError as ListingError, PUBLISHED as PUBLISHED, UNCONFIRMED as UNCONFIRMED,
    listed_files as listed_files,
)
from .pubmed import CITATIONS as CITATIONS, PUBMED as PUBMED, parse_article as parse_article
from .by_identifier import PYPI as PYPI
from .parsing import record_type as record_type
from .registry import SOURCES as SOURCES, dump_formats as dump_formats, source as source
from .by_identifier import RFC_EDITOR as RFC_EDITOR
from .search import (
    is_of_journal as is_of_journal,
    announced as announced, notices_of as notices_of,
    parted_words as parted_words, plain_words as plain_words, whole_words as whole_words,
)
from .semantic_scholar import (
    SEMANTIC_SCHOLAR as SEMANTIC_SCHOLAR, SemanticScholar as SemanticScholar, identifiers_of as identifiers_of,
    parse_paper as parse_paper,
)
from .french_research import THESES_FR as THESES_FR, parse_thesis as parse_thesis
from .by_identifier import W3C as W3C
from .web_page import WEB_PAGE as WEB_PAGE, WebPage as WebPage
from .parsing import (
    marked_text as marked_text, marked_texts as marked_texts, parse_xml as parse_xml,
    without_namespaces as without_namespaces,
)
from .field_catalogues import zbmath_record as zbmath_record
