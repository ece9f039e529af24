"""A check of our own, beside all that Schemathesis has."""

import datetime

import schemathesis

# What no schema can say: that two cities differ, that a currency has a reference
# rate, that a delivery is signed.
OF_THE_MEANING = {"stessa-citta", "valuta-sconosciuta", "firma-non-valida"}

# That a day is in the calendar and near enough, and that days belong to each other.
OF_A_DAY = ("no day of the calendar", "has been", "too far ahead", "is given together with", "is given without", "not after the departure", "too long after")

# That what is said of an alert belongs together, and that its days are not past.
OF_AN_ALERT = ("has to lie between", "does not go with", "goes with kind", "goes with a route", "wants percent or amount", "is missing")


def in_the_calendar(days):
    """Whether a day or a month, or the first and the last of at most 31 days, are in the calendar."""
    try:
        ends = [datetime.date.fromisoformat(day if len(day) > 7 else day + "-01") for day in days.split("..")]
    except ValueError:
        return False
    return 0 <= (ends[-1] - ends[0]).days < 31


@schemathesis.check
def well_formed_is_not_called_malformed(ctx, response, case):
    """What the description calls well formed may be refused for what it means, never for its form."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code != 400:
        return
    if not response.headers.get("content-type", [""])[0].startswith("application/problem+json"):
        return  # a page says of a link that it is no good: made-up links are signed by nobody
    problem = response.json()
    if problem["code"] in OF_THE_MEANING:
        return
    given = {**(case.query or {}), **(case.body if isinstance(case.body, dict) else {})}
    for fault in problem.get("errors", []):
        value = str(given.get(fault["name"], ""))
        beyond_a_pattern = {
            "signature": True,  # how many bytes base58 stands for
            "firma": True,  # likewise
            "t": "works no more" in fault["detail"],  # tokens are made here
            "massimo": "more than 0" in fault["detail"],
            "prezzo": True,  # 0, and more than any fare costs
            **{name: any(why in fault["detail"] for why in OF_A_DAY) for name in ("partenza", "mese", "ritorno", "flessibile", "notti", "partenze", "mesi")},
            "destinazioni": "in one call" in fault["detail"] or "an empty name" in fault["detail"],
            "email": len(value.partition("@")[0]) > 64 or "is missing" in fault["detail"] or "does not go with" in fault["detail"],
            "address": True,  # that it is there, and of which form, goes by the channel
            "channel": "has no bot there" in fault["detail"],
            **{name: not in_the_calendar(value) or any(why in fault["detail"] for why in OF_AN_ALERT) for name in ("departure", "month")},
            **{name: any(why in fault["detail"] for why in OF_AN_ALERT) for name in ("threshold", "kind", "level", "nights", "days", "percent", "amount")},
            "PAYMENT-SIGNATURE": True,  # that it is JSON of its form, in base64
            "route": value[:3].upper() == value[4:].upper(),
        }
        assert beyond_a_pattern.get(fault["name"]), f"well formed, and yet: {problem['detail']}"
    assert problem.get("errors"), f"well formed, and yet: {problem['detail']}"
