package verdict

// Luogo is a note on one end of a route. The query named only part of the city, or the fares are
// for several airports together.
type Luogo struct {
	Estremo   string   `json:"estremo" enum:"origine,destinazione" doc:"Which end of the route it is"`
	Chiesto   string   `json:"chiesto" doc:"What was asked for: a name properly written, or the code of an airport" example:"Bergamo"`
	Citta     string   `json:"citta" doc:"The city whose fares are told, in Italian or else in English" example:"Milano"`
	Iata      string   `json:"iata" doc:"IATA code of that city or metropolitan area" example:"MIL"`
	Aeroporti []string `json:"aeroporti" nullable:"false" doc:"IATA codes of its airports, busiest first. A fare may be of any of them: which one is not kept" example:"MXP,BGY,LIN"`
	Nota      string   `json:"nota" doc:"The same in a sentence"`
}
