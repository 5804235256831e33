package cuda

import (
	"regexp"

	"github.com/kgen-go/kgen/internal/ctext"
)

// isReserved reports whether a CUDA compiler or the headers that nvcc includes
// unasked define name: as a type, a variable, a function or a macro. C++'s
// keywords are known to package ctext, and a name with two underscores is
// never spelled.
func isReserved(name string) bool {
	if _, found := words[name]; found {
		return true
	}
	return families.MatchString(name)
}

// families are names that follow a pattern.
var families = regexp.MustCompile(`^(` +
	`(make_)?(u?char|u?short|u?int|u?long|u?longlong|float|double|half|nv_bfloat16)[1-4](_(16|32)a)?` + // vectors
	`|(tex|surf)([123]D|Cubemap).*|(atomic|cuda|cu|CUDA|CU|nv|nvcuda|nvrtc|NV|NVRTC|thrust|cub|cg|cooperative_groups)[A-Z_0-9].*` +
	`|(texture|surface|cuda|cudaError)(Reference|Object|_t|Pos|ReadMode|Type)?` +
	`|(M|FP|CHAR|SCHAR|UCHAR|SHRT|USHRT|INT|UINT|LONG|ULONG|LLONG|ULLONG|FLT|DBL|LDBL|INT(8|16|32|64|PTR|MAX)|UINT(8|16|32|64|PTR|MAX)|SIZE|PTRDIFF|MATH|RAND|EXIT|CLOCKS|TIME|BUFSIZ|SEEK|L)_.*` +
	`)$`)

// words are the other ones.
var words = ctext.WordSet(`
	threadIdx blockIdx blockDim gridDim warpSize dim3 uchar ushort uint ulong longlong ulonglong
	host device global shared constant managed half std nullptr_t wint_t div_t ldiv_t lldiv_t max_align_t va_list
	clock_t time_t clock clock64 assertfail prof_trigger globaltimer trap brkpt
	INFINITY NAN HUGE_VAL HUGE_VALF HUGE_VALL MAXFLOAT DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS BUFSIZ errno stdin stdout
	stderr WNOHANG WUNTRACED NULL_t TRUE FALSE
	acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 drem erf erfc
	erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs fdim fdivide floor fma fmax fmin fmod frexp gamma hypot ilogb j0 j1 jn
	ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward norm norm3d
	norm4d normcdf normcdfinv pow pow10 powi rcbrt remainder remquo rhypot rint rnorm rnorm3d rnorm4d round rsqrt scalb
	scalbln scalbn sin sincos sincospi sinh sinpi sqrt tan tanh tanpi tgamma trunc y0 y1 yn significand
	acosf acoshf asinf asinhf atanf atan2f atanhf cbrtf ceilf copysignf cosf coshf cospif cyl_bessel_i0f cyl_bessel_i1f
	dremf erff erfcf erfcinvf erfcxf erfinvf expf exp10f exp2f expm1f fabsf fdimf fdividef floorf fmaf fmaxf fminf fmodf
	frexpf gammaf hypotf ilogbf j0f j1f jnf ldexpf lgammaf llrintf llroundf logf log10f log1pf log2f logbf lrintf lroundf
	modff nanf nearbyintf nextafterf nexttowardf normf norm3df norm4df normcdff normcdfinvf powf pow10f powif rcbrtf
	remainderf remquof rhypotf rintf rnormf rnorm3df rnorm4df roundf rsqrtf scalbf scalblnf scalbnf sinf sincosf
	sincospif sinhf sinpif sqrtf tanf tanhf tanpif tgammaf truncf y0f y1f ynf significandf
	abs fabsl labs llabs max min umax umin llmax llmin ullmax ullmin signbit isfinite isgreater isgreaterequal isinf isless
	islessequal islessgreater isnan isnormal isunordered finite isinff isnanf finitef mulhi mul24 umul24 umulhi mul64hi
	umul64hi int_as_float float_as_int uint_as_float float_as_uint float2int float2uint int2float uint2float
	saturate syncthreads threadfence printf fprintf puts alloca index rindex bcmp bcopy bzero ffs ffsl ffsll
	memchr memrchr memccpy strlen strcpy strcat strcmp strncmp strchr time timezone daylight signgam random srandom rand srand
	atof atoi atol div ldiv select fpclassify memcpy memset free malloc vprintf`)
