/* For LD_PRELOAD: while the file that FAILING_SYNC names exists, no file is synced, and each attempt is an I/O error. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int fails(void) {
  const char *switch_file = getenv("FAILING_SYNC");
  if (!switch_file || access(switch_file, F_OK) != 0) return 0;
  errno = EIO;
  return 1;
}

int fsync(int file) {
  if (fails()) return -1;
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}

int fdatasync(int file) {
  if (fails()) return -1;
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
}
