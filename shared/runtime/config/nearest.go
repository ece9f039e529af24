package config

// Nearest returns the name that differs least from a mistyped one, or "" if each differs by more
// than most letters.
func Nearest(mistyped string, names []string, most int) (nearest string) {
	for _, name := range names {
		if d := distance(mistyped, name); d <= most {
			nearest, most = name, d-1
		}
	}
	return nearest
}

func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := before
			if a[i] != b[j] {
				changed++
			}
			before = row[j+1]
			row[j+1] = min(changed, before+1, row[j]+1)
		}
	}
	return row[len(b)]
}
