"""Statistics over topics, raters and runs: intervals, correlations, tests and agreement, all seeded."""

from tealeaves.stats.agreement import krippendorff_alpha, why_no_alpha
from tealeaves.stats.bootstrap import Estimate, bootstrap
from tealeaves.stats.correlation import correlate
from tealeaves.stats.correlation_matrix import Correlations, correlation_matrix
from tealeaves.stats.crossed import CrossedEstimate, CrossedMeans, crossed, wilson
from tealeaves.stats.letters import significance_letters
from tealeaves.stats.regression import Explained, Regression, explained, regression
from tealeaves.stats.tests import Difference, holm, permutation, sign_flips, smallest_p

__all__ = [
    "Correlations",
    "CrossedEstimate",
    "CrossedMeans",
    "Difference",
    "Estimate",
    "Explained",
    "Regression",
    "bootstrap",
    "correlate",
    "correlation_matrix",
    "crossed",
    "explained",
    "holm",
    "krippendorff_alpha",
    "permutation",
    "regression",
    "sign_flips",
    "significance_letters",
    "smallest_p",
    "why_no_alpha",
    "wilson",
]
