package verdict

// Luogo notes that the name of an end means only a part of the city, or that the fares are for
// several airports together.
type Luogo struct {
	Estremo   string    `json:"estremo" enum:"origine,destinazione" doc:"The end of the route"`
	Chiesto   string    `json:"chiesto" doc:"The city or airport that you named" example:"Bergamo"`
	Citta     string    `json:"citta" doc:"The city whose fares are shown, in the chosen language, otherwise Italian" example:"Milano"`
	Iata      string    `json:"iata" doc:"IATA code of that city or metropolitan area" example:"MIL"`
	Aeroporti []string  `json:"aeroporti" nullable:"false" doc:"IATA codes of its airports, busiest first. A fare may be for any of them" example:"MXP,BGY,LIN"`
	Paese     string    `json:"paese" doc:"Its country, ISO 3166-1 alpha-2" example:"IT"`
	Stato     string    `json:"stato,omitempty" doc:"Its state, region or province" example:"Lombardia"`
	Omonimi   []Omonimo `json:"omonimi,omitempty" doc:"Other cities of that name with scheduled flights, busiest first. Send a code to choose one"`
	Nota      string    `json:"nota" doc:"How the name was understood, and what its fares cover, in the chosen language, otherwise English"`
}

// Omonimo is a city with the name of another.
type Omonimo struct {
	Citta string `json:"citta" example:"Columbus"`
	Iata  string `json:"iata" example:"CSG"`
	Paese string `json:"paese" example:"US"`
	Stato string `json:"stato,omitempty" example:"Georgia"`
}
