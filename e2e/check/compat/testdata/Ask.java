import com.amadeus.Amadeus;
import com.amadeus.Params;
import com.amadeus.Response;
import com.amadeus.exceptions.ResponseException;
import com.amadeus.resources.FlightDate;
import com.amadeus.resources.FlightDestination;
import com.amadeus.resources.ItineraryPriceMetric;
import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.text.SimpleDateFormat;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Makes every call with the published SDK, and prints what the SDK's objects hold, as JSON.
 * Its arguments are a port, a Pro key, the secret of a caller without a key, and a day of departure.
 */
public class Ask {
  interface Call {
    void run() throws ResponseException;
  }

  static int port;

  static Amadeus client(String secret) {
    return Amadeus.builder("anything", secret).setHost("127.0.0.1").setPort(port).setSsl(false).build();
  }

  static Params route() {
    return Params.with("origin", "MIL").and("destination", "LON");
  }

  static Params departure(String day) {
    return Params.with("originIataCode", "MIL").and("destinationIataCode", "LON").and("departureDate", day);
  }

  static List<List<String>> figures(ItineraryPriceMetric[] all) {
    List<List<String>> list = new ArrayList<>();
    for (ItineraryPriceMetric d : all) {
      for (ItineraryPriceMetric.PriceMetrics m : d.getPriceMetrics()) {
        list.add(List.of(m.getQuartileRanking(), m.getAmount()));
      }
    }
    return list;
  }

  static String day(Date d) {
    return d == null ? "" : new SimpleDateFormat("yyyy-MM-dd").format(d);
  }

  static String price(double total) {
    return String.format(Locale.ROOT, "%.2f", total);
  }

  static List<List<String>> fares(FlightDate[] all) {
    List<List<String>> list = new ArrayList<>();
    for (FlightDate f : all) {
      list.add(List.of(day(f.getDepartureDate()), day(f.getReturnDate()), price(f.getPrice().getTotal())));
    }
    return list;
  }

  static List<List<String>> fares(Response page) {
    List<List<String>> list = new ArrayList<>();
    for (JsonElement e : page.getData().getAsJsonArray()) {
      JsonObject f = e.getAsJsonObject();
      list.add(List.of(f.get("departureDate").getAsString(), f.has("returnDate") ? f.get("returnDate").getAsString() : "",
          f.get("price").getAsJsonObject().get("total").getAsString()));
    }
    return list;
  }

  static String refused(Call call) {
    try {
      call.run();
    } catch (ResponseException e) {
      JsonObject of = e.getResponse().getResult();
      if (of.has("errors")) {
        of = of.get("errors").getAsJsonArray().get(0).getAsJsonObject();
      }
      String source = of.has("source") ? of.get("source").getAsJsonObject().get("parameter").getAsString()
          : of.has("error") ? of.get("error").getAsString() : "";
      return e.getCode() + " " + e.getResponse().getStatusCode() + " " + of.get("code").getAsInt() + " " + source;
    }
    return "no error";
  }

  public static void main(String[] args) throws Exception {
    port = Integer.parseInt(args[0]);
    String day = args[3];
    Amadeus amadeus = client(args[1]);
    Amadeus free = client(args[2]);
    Map<String, Object> said = new LinkedHashMap<>();
    said.put("metrics", figures(amadeus.analytics.itineraryPriceMetrics.get(departure(day).and("oneWay", "true"))));
    said.put("returns", figures(amadeus.analytics.itineraryPriceMetrics.get(departure(day))));
    said.put("dates", fares(amadeus.shopping.flightDates.get(route().and("oneWay", "true"))));
    said.put("stays", fares(amadeus.shopping.flightDates.get(route().and("duration", "2,8"))));
    List<List<String>> destinations = new ArrayList<>();
    for (FlightDestination f : amadeus.shopping.flightDestinations.get(Params.with("origin", "MIL").and("oneWay", "true"))) {
      destinations.add(List.of(f.getDestination(), day(f.getDepartureDate()), price(f.getPrice().getTotal())));
    }
    said.put("destinations", destinations);
    List<List<String>> journeys = new ArrayList<>();
    for (FlightDestination f : amadeus.shopping.flightDestinations.get(Params.with("origin", "MIL").and("duration", "4,7"))) {
      journeys.add(List.of(f.getDestination(), day(f.getDepartureDate()), day(f.getReturnDate()), price(f.getPrice().getTotal())));
    }
    said.put("journeys", journeys);

    Map<String, String> errors = new LinkedHashMap<>();
    errors.put("missing", refused(() -> amadeus.analytics.itineraryPriceMetrics.get(Params.with("originIataCode", "MIL").and("destinationIataCode", "LON"))));
    errors.put("format", refused(() -> amadeus.shopping.flightDates.get(Params.with("origin", "Milano").and("destination", "LON"))));
    errors.put("option", refused(() -> amadeus.analytics.itineraryPriceMetrics.get(departure(day).and("currencyCode", "XXX"))));
    errors.put("combination", refused(() -> amadeus.shopping.flightDates.get(route().and("oneWay", "true").and("duration", "5"))));
    errors.put("past", refused(() -> amadeus.shopping.flightDates.get(route().and("departureDate", "2016-01-01"))));
    errors.put("nothing", refused(() -> amadeus.shopping.flightDates.get(Params.with("origin", "MIL").and("destination", "REK").and("oneWay", "true"))));
    errors.put("offers", refused(() -> amadeus.shopping.flightOffersSearch.get(
        Params.with("originLocationCode", "MIL").and("destinationLocationCode", "LON").and("departureDate", day).and("adults", 1))));
    errors.put("seats", refused(() -> amadeus.post("/v1/shopping/seatmaps", "{\"data\":[]}")));
    errors.put("order", refused(() -> amadeus.booking.flightOrder("MlpZVkFMfFdBVFNPTnwyMDE1LTExLTAy").get()));
    errors.put("secret", refused(() -> client("wrong").analytics.itineraryPriceMetrics.get(departure(day))));
    errors.put("over", refused(() -> {
      for (int n = 0; n < 40; n++) {
        free.analytics.itineraryPriceMetrics.get(departure(day).and("oneWay", "true"));
      }
    }));
    said.put("errors", errors);

    List<List<List<String>>> pages = new ArrayList<>();
    Response last = null;
    for (Response page = amadeus.get("/v1/shopping/flight-dates", route().and("oneWay", "true").and("page[limit]", "100"));
        page != null; page = amadeus.next(page)) {
      pages.add(fares(page));
      last = page;
    }
    said.put("pages", pages);
    said.put("previous", fares(amadeus.previous(last)));
    said.put("first", fares(amadeus.first(last)));
    said.put("last", fares(amadeus.last(last)));

    System.out.println(new Gson().toJson(said));
    System.in.read(); // by then the test has made the key invalid
    System.out.println(new Gson().toJson(refused(() -> amadeus.analytics.itineraryPriceMetrics.get(departure(day)))));
  }
}
