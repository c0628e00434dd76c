#!/usr/bin/env bash
# Packs what a bare Linux machine with an NVIDIA GPU needs to run this project's tests: no Node, no display and no
# network are expected there, only the driver.
#
#   scripts/gpu/pack.sh [OUT]      OUT is .gpukit
#
# Writes OUT/a (the first part of Electron) and OUT/b (the rest of it, the libraries that it and Xvfb link, a font,
# node_modules without what is only needed to build, enter.sh). Two folders, each below 64 MB, because a transfer to
# such a machine is often limited. Copy OUT/a to /opt/kit-a there first; then see scripts/gpu/run.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-.gpukit}
electron=${ELECTRON_OVERRIDE_DIST_PATH:-.runtime/electron}
[ -x "$electron/electron" ] || electron=node_modules/electron/dist
[ -x "$electron/electron" ] || { echo "pack: there is no Electron runtime yet: npm run setup" >&2; exit 1; }
for tool in Xvfb xkbcomp xz; do
  command -v "$tool" >/dev/null || { echo "pack: $tool is missing: apt-get install xvfb x11-xkb-utils xz-utils" >&2; exit 1; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kit=$work/kit
mkdir -p "$kit"/{electron,lib,bin,share/fonts,etc} "$work/out"/{a,b}

# Electron, without what a test never shows: licences, the software Vulkan driver, other languages.
tar -C "$electron" -c --exclude=LICENSES.chromium.html --exclude='*swiftshader*' . | tar -C "$kit/electron" -x
find "$kit/electron/locales" -type f ! -name en-US.pak -delete

# The shared libraries that $@ need, but those of the C library, which must be the target's own.
libraries_of() {
  ldd "$@" 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -v -E '/(ld-linux[^/]*|lib(c|m|dl|pthread|rt|resolv|gcc_s|stdc\+\+|ffmpeg)\.so[^/]*)$' || true
}
# Loaded by name while running, so not in any list of links.
by_name=()
for name in libX11-xcb.so.1 libsoftokn3.so libfreebl3.so libfreeblpriv3.so libnssckbi.so; do
  found=$(find /usr/lib /lib -name "$name" 2>/dev/null | head -n 1)
  if [ -n "$found" ]; then by_name+=("$found"); fi
done
libraries_of "$kit/electron/electron" "$(command -v Xvfb)" "$(command -v xkbcomp)" "${by_name[@]}" |
  xargs cp -L -t "$kit/lib" "${by_name[@]}"
cp "$(command -v Xvfb)" "$(command -v xkbcomp)" "$kit/bin/"
cp -r /usr/share/X11/xkb "$kit/share/xkb"
find /usr/share/fonts -name 'DejaVuSans*.ttf' -exec cp -t "$kit/share/fonts" {} +
cat >"$kit/etc/fonts.conf" <<'XML'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/opt/kit/share/fonts</dir><cachedir>/tmp/fontcache</cachedir></fontconfig>
XML

tar -C "$kit" -c electron | xz -T0 -6 | split -b 49m -d - "$work/electron.part"
mv "$work/electron.part00" "$work/out/a/"
mv "$work"/electron.part* "$work/out/b/"
tar -C "$kit" -c lib bin share etc | xz -T0 -9 >"$work/out/b/system.tar.xz"
# node_modules, without tools that only build or check, and without binaries for other C libraries.
tar -c --exclude=node_modules/{electron/dist,typescript,@typescript,@biomejs,knip,oxc-parser,@oxc-parser,@oxc-resolver} \
  --exclude='*.map' --exclude='*musl*' --exclude='*.d.ts' --exclude='*.d.mts' --exclude='*.d.cts' node_modules |
  xz -T0 -8 >"$work/out/b/node_modules.tar.xz"
cp scripts/gpu/enter.sh "$work/out/b/"

mkdir -p "$out"
rm -rf "${out:?}/a" "${out:?}/b"
mv "$work/out/a" "$work/out/b" "$out/"
du -sh "$out/a" "$out/b"
