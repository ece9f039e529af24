// Makes every call with the published SDK, and prints what the SDK's objects hold, as JSON.
//
// ask.js SDK PORT KEY WORD DAY: the folder of the SDK, a Pro key, the secret of a caller without a key, a day of departure.
const [sdk, port, key, word, day] = process.argv.slice(2);
const Amadeus = require(sdk);

const client = (secret) => new Amadeus({clientId: 'anything', clientSecret: secret, host: '127.0.0.1', port: Number(port)});
const amadeus = client(key);
const free = client(word);
const metrics = amadeus.analytics.itineraryPriceMetrics;
const dates = amadeus.shopping.flightDates;
const route = {origin: 'MIL', destination: 'LON'};
const departure = {originIataCode: 'MIL', destinationIataCode: 'LON', departureDate: day};

const figures = (response) => response.data.flatMap((d) => d.priceMetrics.map((m) => [m.quartileRanking, m.amount]));
const fares = (response) => response.data.map((f) => [f.departureDate, f.returnDate || '', f.price.total]);

async function refused(call) {
  try {
    await call();
  } catch (e) {
    const result = e.response.result;
    const of = result.errors ? result.errors[0] : result;
    return [e.code, e.response.statusCode, of.code, of.source ? of.source.parameter : of.error || ''].join(' ');
  }
  return 'no error';
}

async function main() {
  const said = {
    metrics: figures(await metrics.get({...departure, oneWay: true})),
    returns: figures(await metrics.get(departure)),
    dates: fares(await dates.get({...route, oneWay: true})),
    stays: fares(await dates.get({...route, duration: '2,8'})),
    destinations: (await amadeus.shopping.flightDestinations.get({origin: 'MIL', oneWay: true})).data.map((f) => [f.destination, f.departureDate, f.price.total]),
    journeys: (await amadeus.shopping.flightDestinations.get({origin: 'MIL', duration: '4,7'})).data.map((f) => [f.destination, f.departureDate, f.returnDate, f.price.total]),
    errors: {
      missing: await refused(() => metrics.get({originIataCode: 'MIL', destinationIataCode: 'LON'})),
      format: await refused(() => dates.get({origin: 'Milano', destination: 'LON'})),
      option: await refused(() => metrics.get({...departure, currencyCode: 'XXX'})),
      combination: await refused(() => dates.get({...route, oneWay: true, duration: 5})),
      past: await refused(() => dates.get({...route, departureDate: '2016-01-01'})),
      nothing: await refused(() => dates.get({origin: 'MIL', destination: 'REK', oneWay: true})),
      offers: await refused(() => amadeus.shopping.flightOffersSearch.get({originLocationCode: 'MIL', destinationLocationCode: 'LON', departureDate: day, adults: 1})),
      seats: await refused(() => amadeus.shopping.seatmaps.post({data: []})),
      order: await refused(() => amadeus.booking.flightOrder('MlpZVkFMfFdBVFNPTnwyMDE1LTExLTAy').get()),
      secret: await refused(() => client('wrong').analytics.itineraryPriceMetrics.get(departure)),
      over: await refused(async () => {
        for (let n = 0; n < 40; n++) await free.analytics.itineraryPriceMetrics.get({...departure, oneWay: true});
      }),
    },
  };
  // The SDK keeps one object of parameters for all pages and writes the offset into it, so each page is requested before the next.
  let page = await dates.get({...route, oneWay: true, page: {limit: 100}});
  said.pages = [];
  let last;
  for (; page; page = await amadeus.next(page)) {
    said.pages.push(fares(page));
    last = page;
  }
  said.previous = fares(await amadeus.previous(last));
  said.first = fares(await amadeus.first(last));
  said.last = fares(await amadeus.last(last));

  console.log(JSON.stringify(said));
  process.stdin.once('data', async () => { // by then the test has made the key invalid
    console.log(JSON.stringify(await refused(() => metrics.get(departure))));
    process.exit(0);
  });
}

main();
