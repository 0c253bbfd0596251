"""Scores of people's answers, and what is known of raters."""

from tealeaves.human.scoring.measures import BY_ITEM as BY_ITEM
from tealeaves.human.scoring.raters import agreement_with_rest as agreement_with_rest
from tealeaves.human.scoring.raters import checks_right as checks_right
from tealeaves.human.scoring.raters import same_position as same_position
from tealeaves.human.scoring.result import Result as Result
from tealeaves.human.scoring.scored import score as score
