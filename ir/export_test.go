package ir

// RandomPipeline lets external tests, which may import the interpreter, use
// the generator of random graphs.
var RandomPipeline = randomPipeline
