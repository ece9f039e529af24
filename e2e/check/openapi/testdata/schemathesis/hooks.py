"""One more check, beside those of Schemathesis."""

import datetime

import schemathesis

# A schema cannot express that two cities differ, that a currency has a reference rate, that a
# delivery is signed, or that an alert can still be sent.
OF_THE_MEANING = {"stessa-citta", "valuta-sconosciuta", "firma-non-valida", "avviso-troppo-tardi"}

# Details of dates that are too early, too late, or do not fit each other.
OF_A_DAY = ("is past", "too far ahead", "excludes", "needs", "is not after the departure", "too long after")
# Details of dates that match the pattern but are not in the calendar.
NOT_IN_THE_CALENDAR = ("is not a day such as", "is not a month such as")

# Details of alert fields that do not fit each other, or of days outside the year ahead.
OF_AN_ALERT = ("has to lie between", "does not go with", "goes with kind", "goes with a route", "wants percent or amount", "is needed with", "is missing")


def in_the_calendar(days):
    """Reports whether a day, a month, or a range of at most 31 days is in the calendar."""
    try:
        ends = [datetime.date.fromisoformat(day if len(day) > 7 else day + "-01") for day in days.split("..")]
    except ValueError:
        return False
    return 0 <= (ends[-1] - ends[0]).days < 31


def of_dates(detail, value):
    """Reports whether a detail about dates is about their meaning."""
    if any(why in detail for why in NOT_IN_THE_CALENDAR):
        return not all(map(in_the_calendar, value.split(",")))
    return any(why in detail for why in OF_A_DAY)


@schemathesis.check
def well_formed_is_not_called_malformed(ctx, response, case):
    """An input that matches the schema may be refused for its meaning, but not for its form."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code != 400:
        return
    if not response.headers.get("content-type", [""])[0].startswith("application/problem+json"):
        return  # a page for a link whose token is invalid: generated tokens are not signed
    problem = response.json()
    if problem["code"] in OF_THE_MEANING:
        return
    given = {**(case.query or {}), **(case.body if isinstance(case.body, dict) else {})}
    for fault in problem.get("errors", []):
        value = given.get(fault["name"], "")
        value = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        beyond_a_pattern = {
            # A pattern cannot express how many bytes a text in base 58 encodes.
            "signature": True,
            "firma": True,
            "t": "works no more" in fault["detail"],  # the service issues the tokens
            "massimo": "more than 0" in fault["detail"],
            "prezzo": True,  # 0, and more than any fare costs
            **{name: of_dates(fault["detail"], value) for name in ("partenza", "mese", "ritorno", "flessibile", "notti", "partenze", "mesi")},
            "destinazioni": "in one call" in fault["detail"] or "an empty name" in fault["detail"],
            "email": len(value.partition("@")[0]) > 64 or "is missing" in fault["detail"] or "does not go with" in fault["detail"],
            "address": True,  # whether it is needed, and its form, depend on the channel
            "channel": "has no bot there" in fault["detail"],
            **{name: not in_the_calendar(value) or any(why in fault["detail"] for why in OF_AN_ALERT) for name in ("departure", "month")},
            **{name: any(why in fault["detail"] for why in OF_AN_ALERT) for name in ("threshold", "kind", "level", "nights", "days", "percent", "amount", "paid")},
            "campi": True,  # only the names of the answer's fields are valid
            "PAYMENT-SIGNATURE": True,  # it has to be JSON in base64
            **{name: True for name in ("vettore", "senzaVettore", "airline", "withoutAirline")},  # which airlines are known
            "area": True,  # which codes are countries or continents
            "currency": "with a reference rate" in fault["detail"],
            "route": value[:3].upper() == value[4:].upper(),
        }
        assert beyond_a_pattern.get(fault["name"]), f"well formed, and yet: {problem['detail']}"
    assert problem.get("errors"), f"well formed, and yet: {problem['detail']}"
