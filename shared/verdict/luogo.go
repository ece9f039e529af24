package verdict

// Luogo notes that the name of an end means only a part of the city, or that the fares are for
// several airports together.
type Luogo struct {
	Estremo   string   `json:"estremo" enum:"origine,destinazione" doc:"The end of the route"`
	Chiesto   string   `json:"chiesto" doc:"The city or airport that you named" example:"Bergamo"`
	Citta     string   `json:"citta" doc:"The city whose fares are shown, in the chosen language, otherwise Italian" example:"Milano"`
	Iata      string   `json:"iata" doc:"IATA code of that city or metropolitan area" example:"MIL"`
	Aeroporti []string `json:"aeroporti" nullable:"false" doc:"IATA codes of its airports, busiest first. A fare may be for any of them" example:"MXP,BGY,LIN"`
	Nota      string   `json:"nota" doc:"A sentence about the airports of citta, in the chosen language, otherwise English"`
}
