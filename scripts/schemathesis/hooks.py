"""What schemathesis cannot know: rules that a JSON Schema has no words for.

`before_call` keeps most requests clear of them, or each would be refused for the same reason and no other part of it would
be tried. Of the failures that are left, those that come of such a rule alone are none."""

import itertools
import re

import schemathesis
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.openapi.checks import RejectedPositiveData

# So many requests stay as they are, for one that is changed before it is sent: the rules are to be tried, too.
UNCHANGED = 10
numbers = itertools.count(1)

LONGEST_WAIT = 2

# Parameters of which a request may have but one.
EXCLUSIVE = [("offset", "tail"), ("output", "follow"), ("plain", "Range")]

# Refusals of requests that have the right form, by the code of the problem.
CODES = {
    "idempotency-key-reused",  # the key stands for another request
    "range-not-satisfiable",  # the log is shorter
}

# The same, by what is said of a field (of any field: "").
RULES = {
    "": [
        r"cannot be combined with ",
        r"must lie below the working directory ",
        r"must not go through a symbolic link ",
        r"may hold only letters, digits and ",  # of the lab CLI's own making, and different in another one
    ],
    "collectOutput": [r"must be a directory: "],
    "collectSuffix": [r'must not contain "/"'],
    "collectTar": [r'must not contain ":"'],
    "reloadConfig": [r"there is no directory "],
    "timeoutSeconds": [r"must not be over .* the limit of this server"],
    "topology": [r"is not YAML: ", r"is not a topology: ", r"is nested too deeply"],
    "topologyUrl": [r"must be an absolute http or https URL", r"must not hold a user name or password"],
}


def operation_of(case):
    return case.operation.definition.raw.get("operationId")


def without_exclusive(case):
    """Of two parameters that exclude each other, the one goes that is not tried in this request."""
    tried = getattr(case.meta.phase.data, "parameter", None) if case.meta else None
    for one, other in EXCLUSIVE:
        holders = [case.headers if name == "Range" else case.query for name in (one, other)]
        if one in holders[0] and other in holders[1]:
            del (holders[0] if tried == other else holders[1])[one if tried == other else other]


def with_new_key(case, number):
    """A key that was used before has all that follows it in the request answered with 422."""
    key = case.headers.get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch(r"[!#-~][!-~]{0,240}", key):
        case.headers["Idempotency-Key"] = f"{key}-{number}"


def with_short_wait(case):
    wait = case.query.get("wait")
    if isinstance(wait, (int, float)) and LONGEST_WAIT < wait <= 60:
        case.query["wait"] = LONGEST_WAIT


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(numbers)
    if number % UNCHANGED == 0:
        return
    with_new_key(case, number)
    if operation_of(case) == "getJobLog":
        without_exclusive(case)
    if operation_of(case) == "getJob":
        with_short_wait(case)


def is_known_refusal(problem):
    if problem.get("code") in CODES:
        return True
    errors = problem.get("errors") or []
    return bool(errors) and all(
        any(re.match(rule, error["message"]) for rule in [*RULES[""], *RULES.get(error["field"], [])])
        for error in errors
    )


def says_nothing(value):
    return value is None or (isinstance(value, str) and value.strip() == "")


def is_liberty(name, value):
    """What is taken of a field besides what its schema says."""
    if name == "action" and isinstance(value, str):
        return value.strip().lower() != value
    return says_nothing(value) or (name in ("plugin", "output") and isinstance(value, str))


def takes_liberties(case):
    """Clients of `netlab api` send `null` or empty text for "not given", a text for a list of one, and actions in capitals.
    They are understood, and the descriptions say so. The schemas do not: generated clients would offer several ways to
    say the same."""
    if operation_of(case) in ("cancelJob", "retryJob"):
        return says_nothing(case.body)
    if operation_of(case) == "listJobs":
        # A query holds text: `label=null` is a list of the one label "null".
        return not isinstance(case.query.get("label", []), list)
    if operation_of(case) != "submitJob" or not isinstance(case.body, dict):
        return False
    return any(is_liberty(name, value) for name, value in case.body.items())


@schemathesis.hook
def filter_failure(context, failure, case, response):
    if isinstance(failure, RejectedPositiveData):
        return not is_known_refusal(response.json())
    if isinstance(failure, AcceptedNegativeData):
        return not takes_liberties(case)
    return True


@schemathesis.deserializer("text/yaml")
def yaml_as_text(context, response):
    """The schema of /openapi.yaml is that of a text, as of all of `text/*`: generated clients take it for one."""
    return response.text
