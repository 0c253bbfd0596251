"""Files of answers, ours and others': which format a file is of, and what stands where in it.

``FORMATS`` names them; `read` is what `tealeaves.human.read_answers` calls.

=============  =====================================================================================
tealeaves      JSON lines, CSV or Parquet with ``rater``, ``item`` and ``value`` or ``correct``, or the folder
               of an export. Answers of a pilot (``form``) and of raters whom the study's rules leave out
               (``excluded``) are left out; ``pilot=True`` and ``all_raters=True`` keep them
model          JSON lines with ``id`` and ``answer``: what a model as rater said of exported prompts
qualtrics      Qualtrics' CSV: three rows of headings, a rater a row, a question a column
hoyle          JSON lines, a topic each, with ``ratings`` and ``intrusion_correct`` (Hoyle et al. 2021)
hoyle wide     their CSV: a rater a row, a topic a column, cells such as "6,7" (choice, familiarity)
lau baldwin    TSV of mean ratings by the number of words shown (Lau and Baldwin 2016)
oolong         the .RDS files that raters download from oolong's pages (R; needs the extra ``r``)
long           any table with a rater, an item and an answer a row
wide           any table of numbers, a rater a row and an item a column, or turned around
=============  =====================================================================================
"""

from tealeaves.human.answer_formats.recognised import FORMATS as FORMATS
from tealeaves.human.answer_formats.recognised import in_folder as in_folder
from tealeaves.human.answer_formats.recognised import read as read
from tealeaves.human.answer_formats.recognised import recognise as recognise
