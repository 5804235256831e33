package generate

import "strings"

// variousTexts is how many different comments and addresses there are of a kind: TPC-H's own generator cuts them out of one long
// text, too.
const variousTexts = 1 << 14

// What comments and names of TPC-H are made of.
var (
	colours = strings.Fields(`almond antique aquamarine azure beige bisque black blanched blue blush brown burlywood burnished chartreuse
		chiffon chocolate coral cornflower cornsilk cream cyan dark deep dim dodger drab firebrick floral forest frosted gainsboro ghost
		goldenrod green grey honeydew hot indian ivory khaki lace lavender lawn lemon light lime linen magenta maroon medium metallic
		midnight mint misty moccasin navajo navy olive orange orchid pale papaya peach peru pink plum powder puff purple red rose rosy
		royal saddle salmon sandy seashell sienna sky slate smoke snow spring steel tan thistle tomato turquoise violet wheat white
		yellow`)
	nouns = strings.Fields(`foxes ideas theodolites pinto-beans instructions dependencies excuses platelets asymptotes courts dolphins
		multipliers sauternes warthogs frets dinos attainments somas braids hockey-players sheaves packages deposits accounts requests`)
	verbs = strings.Fields(`sleep wake are cajole haggle nag use boost affix detect integrate maintain nod was lose sublate solve thrash
		promise engage hinder print x-ray breach eat grow impress mold poach serve run dazzle snooze doze unwind kindle play hang believe doubt`)
	adjectives = strings.Fields(`furious sly careful blithe quick fluffy slow quiet ruthless thin close dogged daring brave stealthy permanent
		enticing idle busy regular final ironic even bold silent special pending unusual express`)
	adverbs = strings.Fields(`sometimes always never furiously slyly carefully blithely quickly fluffily slowly quietly ruthlessly thinly
		closely doggedly daringly bravely stealthily permanently enticingly idly busily regularly finally ironically evenly boldly silently`)
)

// drawer draws one word after the other of a stream.
type drawer struct {
	random stream
	at     int64
}

func (d *drawer) of(list []string) string {
	d.at++
	return list[d.random.below(d.at, uint64(len(list)))]
}

// sentence is a few words.
func (d *drawer) sentence() string {
	return d.of(adverbs) + " " + d.of(adjectives) + " " + d.of(nouns) + " " + d.of(verbs) + " " + d.of(adverbs)
}

// comments are sentences, of which a few are about special requests.
func comments(random stream) []string {
	d := &drawer{random: random}
	list := make([]string, variousTexts)
	for i := range list {
		list[i] = d.sentence()
	}
	return list
}

// orderComments are sentences of which one in 100 says special and then requests, words that others do not have in this order.
func orderComments(random stream) []string {
	list := comments(random)
	for i := range list {
		if list[i] = strings.ReplaceAll(list[i], "special", "pending"); i%100 == 50 {
			list[i] = "special " + list[i] + " requests"
		}
	}
	return list
}

// supplierComments are sentences of which one in 2,000 says Customer and then Complaints, and one Recommends.
func supplierComments(random stream) []string {
	list := comments(random)
	for i := range list {
		switch i % 2000 {
		case 700:
			list[i] = "Customer " + list[i] + " Complaints"
		case 1400:
			list[i] = "Customer " + list[i] + " Recommends"
		}
	}
	return list
}

// addresses are 10 to 40 letters and digits.
func addresses(random stream) []string {
	const signs = "0123456789abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	list := make([]string, variousTexts)
	for i := range list {
		at := int64(i) * 64
		text := make([]byte, 10+random.below(at, 31))
		for j := range text {
			text[j] = signs[random.below(at+1+int64(j), uint64(len(signs)))]
		}
		list[i] = string(text)
	}
	return list
}

// partName is five different colours.
func partName(random stream, part int64) string {
	var names []string
	order := newPermutation(stream(random.at(part)), int64(len(colours)))
	for i := range uint64(5) {
		names = append(names, colours[order.at(i)])
	}
	return strings.Join(names, " ")
}
