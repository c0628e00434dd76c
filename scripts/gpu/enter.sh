# Sourced on the GPU machine, in the repository's root, after .gpukit/a/* was copied to /opt/kit-a and .gpukit/b is
# here: unpacks the kit once and gives the shell a running X display and ELECTRON_OVERRIDE_DIST_PATH.
if [ ! -e /opt/kit/electron/electron ]; then
  mkdir -p /opt/kit/electron.part
  cat /opt/kit-a/electron.part00 .gpukit/b/electron.part* | xz -dc | tar -x -C /opt/kit/electron.part
  xz -dc .gpukit/b/system.tar.xz | tar -x -C /opt/kit
  mv /opt/kit/electron.part/electron /opt/kit/electron
fi
[ -e node_modules ] || xz -dc .gpukit/b/node_modules.tar.xz | tar -x
export ELECTRON_OVERRIDE_DIST_PATH=/opt/kit/electron FONTCONFIG_FILE=/opt/kit/etc/fonts.conf
if [ -z "${DISPLAY:-}" ]; then
  # Xvfb has these two paths compiled in.
  [ -e /usr/bin/xkbcomp ] || ln -s /opt/kit/bin/xkbcomp /usr/bin/xkbcomp
  mkdir -p /usr/share/X11 /tmp/.X11-unix && chmod 1777 /tmp/.X11-unix
  [ -e /usr/share/X11/xkb ] || ln -s /opt/kit/share/xkb /usr/share/X11/xkb
  LD_LIBRARY_PATH=/opt/kit/lib /opt/kit/bin/Xvfb :99 -screen 0 1600x1000x24 -nolisten tcp -noreset >/tmp/xvfb.log 2>&1 &
  export DISPLAY=:99
  sleep 1.5
fi
