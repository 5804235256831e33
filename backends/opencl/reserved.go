package opencl

import (
	"regexp"

	"github.com/kgen-go/kgen/internal/ctext"
)

// isReserved reports whether OpenCL C defines name: as a keyword, a type, a
// function or a macro.
func isReserved(name string) bool {
	if _, found := words[name]; found {
		return true
	}
	return families.MatchString(name)
}

// families are names that follow a pattern.
var families = regexp.MustCompile(`^(` +
	`((as|convert)_)?` + numbers + `(\d+|\d*x\d+)?(_sat)?(_rt[ezpn])?` + // and vectors and matrices of them
	`|v(load|store)a?_?(half)?\d*(_rt[ezpn])?|(native|half|async_work_group|ndrange)_.*` +
	`|get_(work_dim|(global|local|group|num|enqueued|image|sub_group|max_sub_group|pipe|kernel|default|fence).*)` +
	`|(read|write)_(image.*|mem_fence|pipe.*|only|write)|(work_group|sub_group|reserve|commit|enqueue|intel|amd|arm|pocl|cl)_.*` +
	`|(atomic|atom|image\dd|clock_read_).*|mem_fence|memory_(order|scope).*|kernel_(exec|enqueue_.*)|clk_.*|image_.*|event_(mode|filter)_.*` +
	`|(CLK|CL|FLT|DBL|HALF|FP|M|S?CHAR|UCHAR|U?SHRT|U?INT|U?LONG|ATOMIC|MEMORY|OPENCL)_.*` +
	`)$`)

const numbers = `(bool|u?char|u?short|u?int|u?long|half|float|double|quad|size_t|ptrdiff_t|u?intptr_t)`

// words are the other ones, of OpenCL C 1.0 to 3.0.
var words = ctext.WordSet(`
	kernel global local constant private generic read_only write_only read_write aligned packed endian vec_step
	sampler_t event_t queue_t ndrange_t clk_event_t reserve_id_t pipe block uniform
	INFINITY NAN HUGE_VAL HUGE_VALF MAXFLOAT MAX_WORK_DIM NULL
	acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh cospi erfc erf exp
	exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb ldexp lgamma lgamma_r log log2 log10
	log1p logb mad maxmag minmag modf nan nextafter pow pown powr remainder remquo rint rootn round rsqrt sin sincos sinh
	sinpi sqrt tan tanh tanpi tgamma trunc
	abs abs_diff add_sat hadd rhadd clamp clz ctz mad_hi mad_sat max min mul_hi rotate sub_sat upsample mad24 mul24 popcount
	degrees mix radians step smoothstep sign
	cross dot distance length normalize fast_distance fast_length fast_normalize
	isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isfinite isinf isnan isnormal isordered
	isunordered signbit any all bitselect select
	barrier prefetch wait_group_events printf shuffle shuffle2 to_global to_local to_private
	create_user_event retain_event release_event set_user_event_status capture_event_profiling_info is_valid_event
	is_valid_reserve_id
	dot_4x8packed_uu_uint dot_4x8packed_ss_int dot_4x8packed_us_int dot_4x8packed_su_int
	bit_reverse bitfield_insert bitfield_extract_signed bitfield_extract_unsigned dot_acc_sat
	dot_acc_sat_4x8packed_uu_uint dot_acc_sat_4x8packed_ss_int dot_acc_sat_4x8packed_us_int dot_acc_sat_4x8packed_su_int`)
