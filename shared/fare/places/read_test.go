package places

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"verdetto/shared/fare"
)

func TestQualifiers(t *testing.T) {
	for query, want := range map[string]string{
		"Lisbon, Portugal": "LIS", "Lisbon (LIS)": "LIS", "London Heathrow (LHR)": "LON LHR", "London, UK": "LON",
		"Lisbon airport": "LIS", "Portland, OR": "PDX", "Lisbonne, Portugal": "LIS", "Lissabon (Portugal)": "LIS",
		"Portland, Maine": "PWM", "Portland ME": "PWM", "portland, me": "PWM", "Portland, Oregon, USA": "PDX",
		"Vancouver, CA": "YVR", "Los Angeles, CA": "LAX", "Toronto, CA": "YTO", "Bari, IT": "BRI", "Tirana, AL": "TIA",
		"San José, Costa Rica": "SJO", "San Jose, California": "SJC", "San Jose CA": "SJC", "San José, CRI": "SJO",
		"Mailand, Italien": "MIL", "Parigi (Francia)": "PAR", "Londres, Royaume-Uni": "LON", "Londres, Inglaterra": "LON",
		"Nizza, Frankreich": "NCE", "Atene - Grecia": "ATH", "Genève/Suisse": "GVA", "Colonia, Alemania": "CGN",
		"Aeroporto di Lisbona": "LIS", "Flughafen München": "MUC", "aéroport de Nice": "NCE", "aeropuerto de Málaga": "AGP",
		"Aéroport d'Ajaccio": "AJA", "Milano (Malpensa)": "MIL MXP", "Milan Malpensa Airport": "MIL MXP",
		"Milan, MXP": "MIL MXP", "LHR London": "LON LHR", "JFK - New York": "NYC JFK", "New York (JFK)": "NYC JFK",
		"Portugal, Lisbon": "LIS", "Paris France": "PAR", "Sydney, NSW": "SYD", "Perth, Western Australia": "PER",
		"Birmingham, Alabama": "BHM", "Birmingham, England": "BHX", "London, Ontario": "YXU", "London, ON": "YXU",
		"London, Canada": "YXU", "Naples, Florida": "APF", "Naples, Italy": "NAP", "Manchester, New Hampshire": "MHT",
		"Manchester NH": "MHT", "Melbourne, FL": "MLB", "Melbourne, Australia": "MEL", "Santiago, Spain": "SCQ",
		"Santiago, Chile": "SCL", "Santiago, Cuba": "SCU", "Palma, Mallorca": "PMI", "Palma de Mallorca, Balearic Islands": "PMI",
		"Catania, Sicily": "CTA", "Valencia, Venezuela": "VLN", "Valencia, España": "VLC", "Córdoba, Argentina": "COR",
		"Columbus, Georgia": "CSG", "Columbus, GA": "CSG", "Columbus, Ohio": "CMH", "Athens, GA": "AHN",
		"Paris, Texas": "PRX", "Tbilisi, Georgia": "TBS", "Granada, Spain": "GRX", "Praga, Repubblica Ceca": "PRG", "Istanbul, Turkey": "IST",
		"Istanbul, Türkei": "IST", "Amsterdam (Holland)": "AMS", "Dubai, UAE": "DXB", "Seoul, South Korea": "SEL",
		"Wales, Alaska": "WAA", "Victoria, BC": "YYJ", "Washington, D.C.": "WAS", "Washington DC": "WAS",
		"Portland Maine USA": "PWM", "San Jose Costa Rica": "SJO", "Manchester New Hampshire United States": "MHT",
		"St. Petersburg, Russia": "LED", "Ayr (Scotland)": "GLA",
		"Heathrow T5": "LON LHR", "London Heathrow Terminal 5": "LON LHR", "Madrid-Barajas T4": "MAD", "München Hbf": "MUC",
		"Napoli Capodichino": "NAP", "Barcelona El Prat": "BCN", "Barcelona-El Prat": "BCN", "Lyon Saint-Exupéry": "LYS",
		"Bologna (Marconi)": "BLQ", "Wien-Schwechat": "VIE", "Doha, Hamad": "DOH", "Nairobi JKIA": "NBO", "Berlin Tegel": "BER TXL",
		"Warsaw Modlin": "WMI", "Köln-Bonn": "CGN", "Frankfurt/Main": "FRA", "Frankfurt a.M.": "FRA", "(LHR)": "LON LHR",
		"Milan (all airports)": "MIL", "Milano, tutti gli aeroporti": "MIL", "Berlin (alle Flughäfen)": "BER", "N.Y.C.": "NYC",
		"Hong Kong, China": "HKG", "Hong Kong SAR": "HKG", "Macau, China": "MFM", "San Juan, USA": "SJU", "Nuuk, Dänemark": "GOH",
		"Saint-Denis, France": "RUN", "Roma (RM)": "ROM", "Pisa PI": "PSA", "Rome, Lazio": "ROM", "Klagenfurt, Kärnten": "KLU",
		"Porto Alegre, RS": "POA", "São Paulo/SP": "SAO", "Florianópolis (SC)": "FLN", "La Paz, BCS": "LAP", "La Paz, Bolivia": "LPB",
		"Skopje, North Macedonia": "SKP", "Belfast, NI": "BFS", "Santiago, DR": "STI", "Armenia, Colombia": "AXM",
		"Newark, NJ": "NYC EWR", "Jersey City, NJ": "NYC", "Hamilton, ON": "YTO YHM", "Cordoba, Spain": "ODB", "Odessa, TX": "ODT",
		"St Petersburg, Florida": "TPA PIE", "Tripoli, Lebanon": "KYE", "Perth (Scotland)": "PSL", "Hyderabad - Pakistan": "HDD",
		"London, All Airports (LON)": "LON", "lisbon pt": "LIS", "vancouver bc": "YVR", "San Jose, Calif.": "SJC",
		"Barcelona (Girona)": "GRO", "Memmingen (Munich)": "FMM", "Barcelone Girona": "GRO", "Warschau Modlin": "WMI",
		"Galápagos Islands": "GPS", "Palma, Balearic Islands": "PMI", "Gare du Nord": "PAR", "King's Cross": "LON",
		"isla de Mallorca": "PMI", "Isola d'Ischia": "NAP", "Columbus airport, OH": "CMH",
	} {
		m := Read(query)
		if got := strings.TrimSpace(string(m.City) + " " + m.Of.String()); got != want {
			t.Errorf("%s is %q %+v, want %q", query, got, m, want)
		}
	}
	for query, want := range map[string]string{
		"Paris, Ontario": "Paris", "Lisbon, Spain": "Lisbon", "Moscow, Idaho": "Moscow", "Milano, Francia": "Milano",
		"Rom, Österreich": "Rom", "London, Kenya": "London", "Sydney, FR": "Sydney", "Atlantis, Greece": "Atlantis",
		"Paris Texas Italy": "Paris Texas", "Vienna VA": "Vienna", "Dublin, OH": "Dublin",
		"Memphis, Egypt": "Memphis", "Bergen (Niedersachsen)": "Bergen", "Toledo, España": "Toledo", "Granada - Nicaragua": "Granada",
	} {
		m := Read(query)
		if m.City != "" || m.Elsewhere != want {
			t.Errorf("%s is %s; elsewhere %q, want %q", query, m.City, m.Elsewhere, want)
		}
		for _, name := range Suggest(query, 5) {
			if !m.in[0].HoldsCity(Read(name).City) {
				t.Errorf("%s suggests %s, which is not there", query, name)
			}
		}
	}
}

func TestNamesakes(t *testing.T) {
	for query, want := range map[string]string{
		"San José": "SJO: SJC SJI", "San Jose": "SJC: SJO SJI", "SAN JOSÉ": "SJO: SJC SJI", "Columbus": "CMH: CSG UBS",
		"Birmingham": "BHX: BHM", "Portland": "PDX: PWM PTJ", "Milano": "MIL:", "MIL": "MIL:", "London": "LON: YXU",
		"Columbus airport": "CMH: CSG UBS", "Columbus, Ohio": "CMH:",
	} {
		m := Read(query)
		got := []string{string(m.City) + ":"}
		for _, city := range m.Namesakes() {
			got = append(got, string(city))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s is %s, want %s", query, got, want)
		}
	}
}

func TestThreeLetters(t *testing.T) {
	for query, want := range map[string]struct {
		city string
		how  Reading
	}{
		"Ios": {"JTR", AsName}, "ios": {"JTR", AsName}, "IOS": {"IOS", AsTyped}, "Rab": {"RJK", AsName},
		"RAB": {"RAB", AsTyped}, "Goa": {"GOI", AsName}, "GOA": {"GOA", AsTyped}, "Sal": {"SID", AsName},
		"SAL": {"SAL", AsTyped}, "Pau": {"PUF", AsTyped}, "Vis": {"SPU", AsName}, "Ulm": {"FMM", AsName},
		"Van": {"VAN", AsTyped}, "mxp": {"MIL", AsCode}, "lhr": {"LON", AsCode}, "Ory": {"PAR", AsCode},
		"MXP": {"MIL", AsTyped}, "kiv": {"RMO", Renamed},
	} {
		if m := Read(query); string(m.City) != want.city || m.Reading != want.how {
			t.Errorf("%s is %s (%d), want %s (%d)", query, m.City, m.Reading, want.city, want.how)
		}
	}
}

func TestAbbreviations(t *testing.T) {
	for query, want := range map[string]string{
		"USA": "US", "usa": "US", "U.S.A.": "US", "US": "US", "U.S.": "US", "EUA": "US", "EEUU": "US", "EE.UU.": "US", "EE. UU.": "US",
		"UK": "GB", "U.K.": "GB", "GB": "GB", "UAE": "AE", "EAU": "AE", "VAE": "AE", "KSA": "SA", "PRC": "CN", "RPC": "CN",
		"BRD": "DE", "NZ": "NZ", "RSA": "ZA", "DRC": "CD", "RDC": "CD", "PNG": "PG", "Regno Unito": "GB", "Royaume-Uni": "GB",
		"Vereinigtes Königreich": "GB", "Reino Unido": "GB", "Stati Uniti": "US", "États-Unis": "US", "Estados Unidos": "US",
	} {
		area, _ := FindArea(query)
		m := Read(query)
		if area.Code != want || m.City != "" {
			t.Errorf("%s is %s %s, want %s", query, m.City, area.Code, want)
		}
		city, code := CityOf(strings.ToUpper(query))
		if code = code && !isUnserved(string(city)); code != (m.Reading == AsCountry) {
			t.Errorf("%s is read as %d", query, m.Reading)
		}
	}
	for query, want := range map[string]fare.City{"Kosrae (KSA)": "KSA", "Concord (USA)": "USA", "Miami, USA": "MIA", "dubai uae": "DXB",
		"Eau Claire (EAU)": "EAU", "CAN": "CAN", "AUS": "AUS", "PEI": "PEI", "MEX": "MEX"} {
		if m := Read(query); m.City != want {
			t.Errorf("%s is %s, want %s", query, m.City, want)
		}
	}
}

func TestRegions(t *testing.T) {
	for query, want := range map[string]string{
		"Sicily": "CTA PMO", "Sicilia": "CTA PMO", "Canary Islands": "TCI LPA", "Kanaren": "TCI LPA", "Puglia": "BRI BDS",
		"Sardinien": "CAG OLB", "Îles Baléares": "PMI IBZ", "California": "LAX SFO", "Bretagne": "BES RNS",
		"Isole greche": "HER RHO", "Schottland": "GLA EDI", "Caraïbes": "SJU PUJ", "Corsica": "AJA BIA", "Crète": "HER CHQ",
		"Hawaï": "HNL OGG", "Açores": "PDL TER", "Bayern": "MUC NUE", "Scandinavia": "CPH OSL", "Lombardy": "MIL",
		"Toscana": "PSA FLR", "Kerala": "COK TRV", "Tasmania": "HBA LST", "Sicily, Italy": "CTA PMO", "Creta (Grecia)": "HER CHQ",
		"Hawaii, USA": "HNL OGG", "Isola di Creta": "HER", "Île de Crète": "HER", "Insel Kreta": "CHQ", "the Azores": "PDL TER",
		"Lombardia": "MIL", "Hessen": "FRA KSF", "Kärnten": "KLU", "Balearics": "PMI IBZ", "North Africa": "CAI CMN",
		"Georgia, USA": "ATL SAV", "Trinidad and Tobago": "POS TAB", "Central America": "PTY SJO",
		"Egypt": "CAI HRG", "Armenia": "EVN", "El Salvador": "SAL",
	} {
		area, ok := FindArea(query)
		if _, city := Find(query); city || !ok {
			t.Errorf("%s: city %t, area %t", query, city, ok)
		}
		for code := range strings.FieldsSeq(want) {
			if c, _ := CityOf(code); !area.HoldsCity(c) {
				t.Errorf("%s lacks %s", query, code)
			}
		}
	}
	for _, query := range []string{"New York", "Washington", "Québec", "Okinawa", "Milano", "Victoria"} {
		if _, city := Find(query); !city {
			t.Errorf("%s is no city", query)
		}
	}
	for _, a := range areas().all {
		n := 0
		for c := range Cities() {
			if a.HoldsCity(c) {
				n++
			}
		}
		if n == 0 {
			t.Errorf("%s has %d cities", a.Code, n)
		}
	}
	if slices.Contains(Suggest("Sicily", 5), "Milan") {
		t.Error("Sicily suggests Milan")
	}
}

func TestEnds(t *testing.T) {
	for text, want := range map[string]string{
		"new york to tokio": "NYC TYO", "da Roma a Londra": "ROM LON", "Milan-Lisbon": "MIL LIS", "Rome to London": "ROM LON",
		"von Berlin nach Wien": "BER VIE", "nach Wien von Köln": "VIE CGN", "de Paris à Nice": "PAR NCE", "MIL-LIS": "MIL LIS",
		"de Madrid a São Paulo": "MAD SAO", "desde Lima hasta La Paz": "LIM LPB", "do Porto para Londres": "OPO LON",
		"Mailand → Lissabon": "MIL LIS", "Milano - Parigi": "MIL PAR", "from Portland, Oregon to San José, Costa Rica": "PDX SJO",
		"flights from Rome to Sicily": "ROM ", "voli da Bari per Torino": "BRI TRN", "d'Ajaccio à Bastia": "AJA BIA",
		"to London from Rome": "LON ROM", "Milano Lisbona": "MIL LIS", "JFK LHR": "NYC LON", "Rome to London on": "ROM LON",
		"Rio de Janeiro a Lisboa": "RIO LIS", "Palma de Mallorca-Köln": "PMI CGN",
		"I want to fly from Rome to London": "ROM LON", "London from Rome": "ROM LON", "between Rome and London": "ROM LON",
		"günstige Flüge von Berlin nach Mallorca": "BER PMI", "Rom London": "ROM LON", "fco lhr": "ROM LON", "Rome to London return": "ROM LON",
		"voli da Roma a Londra andata e ritorno": "ROM LON", "de Nice au Caire": "NCE CAI", "passagem de São Paulo para Miami": "SAO MIA",
		"Rome<->London?": "ROM LON", "Bologna Marconi → Heathrow T5": "BLQ LON", "Trinidad and Tobago": "", "Köln-Bonn": "",
		"Barcelona-El Prat": "", "Milano e Roma": "", "per Londra": "", "Paris Gare de Lyon": "", "Vienna VA": "",
		"Milan Malpensa": "", "Palma de Mallorca": "", "Rome-Fiumicino": "", "Rome": "", "": "", "to": "", "Atlantis to Rome": "",
		"Lisbon, Portugal": "", "La Paz": "", "Paris, Ontario": "", "Rome to USA": "ROM ", "Rome, USA": "", "Paris New York": "PAR NYC", "Lido di Jesolo": "",
	} {
		from, to, ok := Ends(text)
		if strings.HasPrefix(text, "to ") || strings.HasPrefix(text, "nach ") {
			from, to = to, from
		}
		got := string(Read(from).City) + " " + string(Read(to).City)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q is from %q to %q, want %q", text, from, to, want)
		}
	}
}

func TestList(t *testing.T) {
	for names, want := range map[string]string{
		"Lisbon, Portugal": "LIS", "Lisbon, Portugal, Porto": "LIS OPO", "Bucarest,Londra": "BUH LON", "Rome,Lisbon,PT,MAD": "ROM LIS MAD",
		"Portland, OR, USA, Paris": "PDX PAR", "Milano, MXP": "MIL MIL", "Panama City, Panama": "PTY",
		"Barcelona, Luxembourg": "BCN LUX", "San Jose, Costa Rica; London, UK": "SJO LON", "Lisbon, Spain, Rome": "- ROM", "London": "LON",
		"Londra, Regno Unito, Birmingham, Alabama, Nizza": "LON BHM NCE", "New York, Washington": "NYC WAS", "Portugal, Rome": "- ROM",
	} {
		var got []string
		for _, name := range List(names) {
			got = append(got, cmp.Or(string(Read(name).City), "-"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s is %s, want %s", names, got, want)
		}
	}
}
