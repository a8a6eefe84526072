package contract

import "time"

// WaivedAt reports whether the outcome is waived at now: through 24:00 UTC of the day that it names.
func (o *Outcome) WaivedAt(now time.Time) bool {
	if o.Waive == nil {
		return false
	}
	day, err := time.Parse(time.DateOnly, o.Waive.Until)
	return err == nil && now.Before(day.AddDate(0, 0, 1))
}
