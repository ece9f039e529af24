"""Makes every call with the published SDK, and prints what the SDK's objects hold, as JSON.

ask.py PORT KEY WORD DAY: a Pro key, the secret of a caller without a key, a day of departure.
"""
import json
import sys

from amadeus import Client, ResponseError

port, key, word, day = int(sys.argv[1]), *sys.argv[2:5]


def client(secret):
    return Client(client_id='anything', client_secret=secret, host='127.0.0.1', port=port, ssl=False)


amadeus, free = client(key), client(word)
metrics = amadeus.analytics.itinerary_price_metrics
dates = amadeus.shopping.flight_dates
route = {'origin': 'MIL', 'destination': 'LON'}
departure = {'originIataCode': 'MIL', 'destinationIataCode': 'LON', 'departureDate': day}


def figures(response):
    return [[m['quartileRanking'], m['amount']] for d in response.data for m in d['priceMetrics']]


def fares(response):
    return [[f['departureDate'], f.get('returnDate', ''), f['price']['total']] for f in response.data]


def refused(call):
    try:
        call()
    except ResponseError as e:
        result = e.response.result
        of = result['errors'][0] if 'errors' in result else result
        return ' '.join(str(part) for part in (
            type(e).__name__, e.response.status_code, of['code'], of.get('source', {}).get('parameter', of.get('error', ''))))
    return 'no error'


def over():
    for _ in range(40):
        free.analytics.itinerary_price_metrics.get(oneWay='true', **departure)


said = {
    'metrics': figures(metrics.get(oneWay='true', **departure)),
    'returns': figures(metrics.get(**departure)),
    'dates': fares(dates.get(oneWay='true', **route)),
    'stays': fares(dates.get(duration='2,8', **route)),
    'destinations': [[f['destination'], f['departureDate'], f['price']['total']]
                     for f in amadeus.shopping.flight_destinations.get(origin='MIL', oneWay='true').data],
    'journeys': [[f['destination'], f['departureDate'], f['returnDate'], f['price']['total']]
                 for f in amadeus.shopping.flight_destinations.get(origin='MIL', duration='4,7').data],
    'errors': {
        'missing': refused(lambda: metrics.get(originIataCode='MIL', destinationIataCode='LON')),
        'format': refused(lambda: dates.get(origin='Milano', destination='LON')),
        'option': refused(lambda: metrics.get(currencyCode='XXX', **departure)),
        'combination': refused(lambda: dates.get(oneWay='true', duration='5', **route)),
        'past': refused(lambda: dates.get(departureDate='2016-01-01', **route)),
        'nothing': refused(lambda: dates.get(origin='MIL', destination='REK', oneWay='true')),
        'offers': refused(lambda: amadeus.shopping.flight_offers_search.get(
            originLocationCode='MIL', destinationLocationCode='LON', departureDate=day, adults=1)),
        'seats': refused(lambda: amadeus.shopping.seatmaps.post({'data': []})),
        'order': refused(lambda: amadeus.booking.flight_order('MlpZVkFMfFdBVFNPTnwyMDE1LTExLTAy').get()),
        'secret': refused(lambda: client('wrong').analytics.itinerary_price_metrics.get(**departure)),
        'over': refused(over),
    },
}

page = dates.get(oneWay='true', **route, **{'page[limit]': 100})
said['pages'], pages = [fares(page)], [page]
while (page := amadeus.next(pages[-1])) is not None:
    pages.append(page)
    said['pages'].append(fares(page))
said['previous'] = fares(amadeus.previous(pages[-1]))
said['first'] = fares(amadeus.first(pages[-1]))
said['last'] = fares(amadeus.last(pages[0]))

print(json.dumps(said), flush=True)
sys.stdin.readline()  # the key is rotated meanwhile
print(json.dumps(refused(lambda: metrics.get(**departure))), flush=True)
