package loop

import "slices"

// components returns the strongly connected components of a graph (Tarjan, Depth-First Search and Linear Graph Algorithms, 1972).
func components(follows [][]int) (list [][]int) {
	number, low, path, next := make([]int, len(follows)), make([]int, len(follows)), []int{}, 1
	isOnPath := make([]bool, len(follows))
	var visit func(i int)
	visit = func(i int) {
		number[i], low[i] = next, next
		next++
		path, isOnPath[i] = append(path, i), true
		for _, j := range follows[i] {
			if number[j] == 0 {
				visit(j)
				low[i] = min(low[i], low[j])
			} else if isOnPath[j] {
				low[i] = min(low[i], number[j])
			}
		}
		if low[i] == number[i] {
			at := slices.Index(path, i)
			component := slices.Sorted(slices.Values(path[at:]))
			for _, j := range component {
				isOnPath[j] = false
			}
			path, list = path[:at], append(list, component)
		}
	}
	for i := range follows {
		if number[i] == 0 {
			visit(i)
		}
	}
	return list
}
