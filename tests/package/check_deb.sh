#!/bin/sh
# In the top folder, as root of a bare Debian with the packages in the folder above (tools/check-fresh): one installs the
# .deb, searches as the README does, and reads the decision from its page in a browser; somebody else's program uses the library.
set -eu
export DEBIAN_FRONTEND=noninteractive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
source=$PWD
apt-get -qq update
apt-get --assume-no install ../gridcast_*.deb 2>/dev/null | grep -E "^(Need to get|After this operation)" || true
used() { du -sxm --exclude=/proc --exclude=/sys --exclude=/dev --exclude=/var/cache --exclude=/var/lib/apt / | cut -f1; }
before=$(used)
apt-get -y -qq install ../gridcast_*.deb >/dev/null
echo "It takes $(($(used) - before)) MiB (apt counts gridcast once for each of its names)."

rm -rf /tmp/deb
mkdir /tmp/deb
cd /tmp/deb
gridcast examples heat3d
(cd heat3d && sh steps.sh && [ -s search.html ])
configs=/usr/share/gridcast/configs
mpirun -n 3 gridcast sweep $configs/examples/jacobi2d_10000x10.ptr.gz --machine $configs/mvs15k.par \
  --max-processors 256 --mode 3 --store jacobi2d.h5 --best-html best.html
gridcast report jacobi2d.h5 --html search.html
best=$(gridcast status jacobi2d.h5 | sed -n 's/^Best grid *\([0-9x]*\).*/\1/p')
[ -n "$best" ]

# Only the package of the solver brings calibrate.
code=0
gridcast calibrate $configs/programs/jacobi2d.toml --machine $configs/mvs.par --measured none.csv 2>said || code=$?
[ "$code" = 2 ] && grep "install the package gridcast-calibrate" said
apt-get -y -qq install "$source"/../gridcast-calibrate_*.deb >/dev/null
code=0
gridcast calibrate $configs/programs/jacobi2d.toml --machine $configs/mvs.par --measured none.csv 2>said || code=$?
[ "$code" = 2 ] && grep "none.csv" said

apt-get -y -qq install g++ cmake "$source"/../gridcast-dev_*.deb >/dev/null
cmake -S "$source/tests/package" -B consumer -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build consumer
consumer/consumer $configs/programs/jacobi2d.toml $configs/mvs.par 64

apt-get -y -qq --no-install-recommends install chromium >/dev/null
chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --virtual-time-budget=60000 \
  --dump-dom "file://$PWD/search.html" >shown.html 2>said || { cat said >&2 && exit 1; }
grep -q 'data-opened="' shown.html # its scripts ran to the end
shown=$(echo "$best" | sed 's/x/×/g')
grep -q "$shown" shown.html
echo "The page of the search opens on the decision: $shown"
