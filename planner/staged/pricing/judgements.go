package pricing

// Judgements is what is known of the steps of classes on a candidate, by class. It takes memory
// for those that were asked for: an all-to-all of 65536 GPUs that is divided into matchings has
// 16384 classes, and as many candidates that are each asked for one.
type Judgements struct{ pages [][]Judgement }

// judgementsOfPage is how many judgements are stored together.
const judgementsOfPage = 64

// JudgementsOf returns the given judgements, one for each class.
func JudgementsOf(list []Judgement) Judgements {
	var all Judgements
	for i, j := range list {
		*all.put(i, len(list)) = j
	}
	return all
}

// Of returns the judgement of a class, nil if nothing is stored of it.
func (k *Judgements) Of(class int) *Judgement {
	if at := class / judgementsOfPage; at < len(k.pages) && k.pages[at] != nil {
		return &k.pages[at][class%judgementsOfPage]
	}
	return nil
}

// Routed returns the routes of a class, nil if there are none yet.
func (k *Judgements) Routed(class int) *Routed {
	if j := k.Of(class); j != nil {
		return j.Routed
	}
	return nil
}

// put returns the judgement of one of a number of classes, to be changed.
func (k *Judgements) put(class, classes int) *Judgement {
	at := class / judgementsOfPage
	for len(k.pages) <= at {
		k.pages = append(k.pages, nil)
	}
	if k.pages[at] == nil {
		k.pages[at] = make([]Judgement, min(judgementsOfPage, classes-at*judgementsOfPage))
	}
	return &k.pages[at][class%judgementsOfPage]
}
