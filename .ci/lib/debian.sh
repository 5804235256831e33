# For scripts that put files of Debian's packages, of any release, into a folder:
# no root, and the machine's own packages stay as they are.

# debian TOOL...: enters a folder for temporary files, removed in the end, in which
# unpack works. The tools are those that the caller needs beside.
debian() {
	local tool keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	for tool in apt-get dpkg-deb "$@"; do
		command -v "$tool" >/dev/null || { echo "there is no $tool" >&2; exit 1; }
	done
	[ -e $keyring ] || { echo "there is no $keyring: the packages are Debian's" >&2; exit 1; }
	source="deb [signed-by=$keyring] http://deb.debian.org/debian"
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	mkdir -p "$work"/{lists/partial,cache/archives/partial,tree}
	apt=(apt-get -q -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$work/lists"
		-o Dir::Cache="$work/cache" -o APT::Sandbox::User=root -o APT::Architectures::=amd64)
	cd "$work"
}

# unpack RELEASE COMPONENT PACKAGE...: the packages' files, into the folder tree.
unpack() {
	local package
	echo "$source $1 $2" >sources.list &&
		"${apt[@]}" update && "${apt[@]}" download "${@:3}" &&
		for package in *.deb; do dpkg-deb -x "$package" tree && rm "$package" || return; done
}
