"""Reader of R's saved objects (.RDS, .RData): models of stm and of topicmodels, by the library rdata."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from tealeaves._optional import require
from tealeaves.errors import FormatError
from tealeaves.model import TopicModel


def read_r(path: str | Path) -> TopicModel:
    """Read an stm model, or an LDA or CTM of topicmodels; of an .RData the only one in it.

    Raises
    ------
    FormatError
        If the file is cut off, or holds no such model, or several.
    """
    path = Path(path)
    rdata = require("rdata", extra="r")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of classes that it does not know and that are not needed
            content = rdata.conversion.convert(rdata.parser.parse_file(path))
    except Exception as error:  # a damaged file may raise anything there
        raise FormatError(path, f"is no whole R file: {type(error).__name__}: {error}") from None
    models = {"": content} if _is_model(content) else {}
    if not models and isinstance(content, dict):
        models = {str(name): value for name, value in content.items() if _is_model(value)}
    if len(models) != 1:
        found = f"holds {len(models)} models ({', '.join(models)})" if models else "holds no topic model"
        raise FormatError(path, f"{found}: one model of stm or topicmodels was expected")
    try:
        return _read_model(path, next(iter(models.values())))
    except (KeyError, AttributeError, TypeError, IndexError) as error:
        raise FormatError(path, f"is no whole model of stm or topicmodels: {error!r}") from None


def _is_model(thing: Any) -> bool:
    return _is_stm(thing) or (hasattr(thing, "terms") and hasattr(thing, "beta") and hasattr(thing, "gamma"))


def _is_stm(thing: Any) -> bool:
    return isinstance(thing, dict) and {"beta", "vocab", "theta"} <= set(thing)


def _read_model(path: Path, model: Any) -> TopicModel:
    if not _is_stm(model):
        alpha = getattr(model, "alpha", None)
        return TopicModel(
            np.asarray(model.terms).tolist(),
            np.exp(np.asarray(model.beta)),
            doc_topic=np.asarray(model.gamma),
            alpha=None if alpha is None else float(np.ravel(alpha)[0]),
            source=f"{path.name} (R topicmodels)",
        )
    logs = model["beta"]["logbeta"]
    if len(logs) != 1:
        found = f"has a content covariate of {len(logs)} levels, each with topics of its own"
        raise FormatError(path, f"this stm model {found}: export the ones you mean as .csv or .npz")
    words, theta = np.asarray(model["vocab"]).tolist(), np.asarray(model["theta"])
    return TopicModel(words, np.exp(np.asarray(logs[0])), doc_topic=theta, source=f"{path.name} (R stm)")
