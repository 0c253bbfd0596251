"""Planted corpora with the model that made them: the right answer is known.

| what is planted | by | for measures of |
| --- | --- | --- |
| topics that stay, of like or of given sizes | `lda` | topics, coverage, held-out likelihood |
| topics of very unequal sizes | `skewed` | coverage by size, stability |
| topics that go together | `correlated` | relations of topics, held-out likelihood |
| topics that stand twice | `duplicated` | diversity, alignment, stability |
| topics that move over time | `drifting` | topics over time |
| topics of whole sentences | `sentences` | topics of tokens |
"""

from tealeaves.synthetic.coherent import sentences
from tealeaves.synthetic.over_time import drifting
from tealeaves.synthetic.static import correlated, duplicated, lda, skewed

__all__ = ["correlated", "drifting", "duplicated", "lda", "sentences", "skewed"]
