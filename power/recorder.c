/*
 * Records what a process does to the files of one folder: every write, truncation and sync, and every name that is made,
 * moved or removed. It is loaded with LD_PRELOAD, in front of libc.
 *
 * Hazard: an image is made from the order of the records. If a write of one thread were recorded before the sync of
 * another that did not contain it, the image would keep a write that a disk may lose. So each operation and its record
 * happen under one lock, of all threads and processes.
 *
 * POWER_FOLDER is the absolute real path of the folder, POWER_TRACE the file that gets the records. A record is a `struct
 * head`, then the names, each ended by a zero byte, then the bytes written. Writes to mapped memory are not recorded:
 * SQLite maps only its -shm file, which it makes again after a power loss.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { CREATE = 1, WRITE, TRUNCATE, SYNC, SYNC_FOLDER, LINK, RENAME, UNLINK };

struct head {
  uint32_t kind;
  uint32_t names;
  uint64_t file;
  uint64_t at;
  uint64_t bytes;
};

static const char *folder;
static size_t folder_length;
static int trace = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void start(void) {
  const char *file = getenv("POWER_TRACE");
  const char *under = getenv("POWER_FOLDER");
  if (!file || !under) return;
  trace = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (trace < 0) abort();
  folder_length = strlen(under);
  folder = under;
}

static void lock(void) {
  pthread_mutex_lock(&mutex);
  flock(trace, LOCK_EX);
}

static void unlock(void) {
  flock(trace, LOCK_UN);
  pthread_mutex_unlock(&mutex);
}

static int is_under(const char *path) {
  return strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || path[folder_length] == 0);
}

static int path_of(int fd, char *path) {
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return 1;
}

static int is_watched(int fd, struct stat *found) {
  char path[PATH_MAX];
  if (!folder || fstat(fd, found) != 0 || !(S_ISREG(found->st_mode) || S_ISDIR(found->st_mode))) return 0;
  return path_of(fd, path) && is_under(path);
}

/* Whether `given`, seen from the folder `at`, is in our folder. `path` gets its absolute path. */
static int is_named(int at, const char *given, char *path) {
  if (!folder) return 0;
  if (given[0] == '/') {
    snprintf(path, PATH_MAX, "%s", given);
  } else {
    char from[PATH_MAX];
    if (at == AT_FDCWD ? !getcwd(from, sizeof from) : !path_of(at, from)) return 0;
    if (snprintf(path, PATH_MAX, "%s/%s", from, given) >= PATH_MAX) return 0;
  }
  return is_under(path);
}

/* A part of a record would make all later ones unreadable. */
static void put_all(const void *bytes, size_t length) {
  for (const char *next = bytes; length > 0;) {
    ssize_t written = syscall(SYS_write, trace, next, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) abort();
    next += written;
    length -= written;
  }
}

static void put(enum kind kind, uint64_t file, uint64_t at, const void *data, uint64_t bytes, const char *one,
                const char *other) {
  uint32_t names = (one ? strlen(one) + 1 : 0) + (other ? strlen(other) + 1 : 0);
  struct head head = {kind, names, file, at, bytes};
  put_all(&head, sizeof head);
  if (one) put_all(one, strlen(one) + 1);
  if (other) put_all(other, strlen(other) + 1);
  if (bytes > 0) put_all(data, bytes);
}

static long done(long result, int error) {
  errno = error;
  return result;
}

/* `at` is -1 for a write at the position of the descriptor. */
static ssize_t do_write(int fd, const void *data, size_t bytes, off_t at) {
  struct stat found;
  if (!is_watched(fd, &found))
    return at < 0 ? syscall(SYS_write, fd, data, bytes) : syscall(SYS_pwrite64, fd, data, bytes, at);
  lock();
  off_t from = at;
  if (at < 0) {
    if (fcntl(fd, F_GETFL) & O_APPEND) lseek(fd, 0, SEEK_END);
    from = lseek(fd, 0, SEEK_CUR);
  }
  ssize_t written = at < 0 ? syscall(SYS_write, fd, data, bytes) : syscall(SYS_pwrite64, fd, data, bytes, at);
  int error = errno;
  if (written > 0) put(WRITE, found.st_ino, from, data, written, NULL, NULL);
  unlock();
  return done(written, error);
}

ssize_t write(int fd, const void *data, size_t bytes) { return do_write(fd, data, bytes, -1); }
ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at) { return do_write(fd, data, bytes, at); }
ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t at) { return do_write(fd, data, bytes, at); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
  struct stat found;
  if (!is_watched(fd, &found)) return syscall(SYS_writev, fd, parts, count);
  ssize_t total = 0;
  for (int nth = 0; nth < count; nth++) {
    ssize_t written = do_write(fd, parts[nth].iov_base, parts[nth].iov_len, -1);
    if (written < 0) return total > 0 ? total : written;
    total += written;
    if ((size_t)written < parts[nth].iov_len) break;
  }
  return total;
}

static int do_truncate(int fd, off_t size) {
  struct stat found;
  if (!is_watched(fd, &found)) return syscall(SYS_ftruncate, fd, size);
  lock();
  int result = syscall(SYS_ftruncate, fd, size);
  int error = errno;
  if (result == 0) put(TRUNCATE, found.st_ino, size, NULL, 0, NULL, NULL);
  unlock();
  return done(result, error);
}

int ftruncate(int fd, off_t size) { return do_truncate(fd, size); }
int ftruncate64(int fd, off64_t size) { return do_truncate(fd, size); }

static int do_sync(long call, int fd) {
  struct stat found;
  if (!is_watched(fd, &found)) return syscall(call, fd);
  lock();
  int result = syscall(call, fd);
  int error = errno;
  if (result == 0) put(S_ISDIR(found.st_mode) ? SYNC_FOLDER : SYNC, found.st_ino, 0, NULL, 0, NULL, NULL);
  unlock();
  return done(result, error);
}

int fsync(int fd) { return do_sync(SYS_fsync, fd); }
int fdatasync(int fd) { return do_sync(SYS_fdatasync, fd); }

static int do_open(int at, const char *given, int flags, mode_t mode) {
  char path[PATH_MAX];
  if (!(flags & (O_CREAT | O_TRUNC)) || !is_named(at, given, path)) return syscall(SYS_openat, at, given, flags, mode);
  lock();
  struct stat found;
  int existed = stat(path, &found) == 0;
  int fd = syscall(SYS_openat, at, given, flags, mode);
  int error = errno;
  if (fd >= 0 && fstat(fd, &found) == 0) {
    if (!existed) put(CREATE, found.st_ino, 0, NULL, 0, path, NULL);
    else if (flags & O_TRUNC) put(TRUNCATE, found.st_ino, 0, NULL, 0, NULL, NULL);
  }
  unlock();
  return done(fd, error);
}

#define MODE(flags)                                            \
  mode_t mode = 0;                                             \
  if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) { \
    va_list rest;                                              \
    va_start(rest, flags);                                     \
    mode = va_arg(rest, mode_t);                               \
    va_end(rest);                                              \
  }

int open(const char *path, int flags, ...) { MODE(flags) return do_open(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return do_open(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE(flags) return do_open(at, path, flags, mode); }

static int do_unlink(int at, const char *given, int flags) {
  char path[PATH_MAX];
  if ((flags & AT_REMOVEDIR) || !is_named(at, given, path)) return syscall(SYS_unlinkat, at, given, flags);
  lock();
  int result = syscall(SYS_unlinkat, at, given, flags);
  int error = errno;
  if (result == 0) put(UNLINK, 0, 0, NULL, 0, path, NULL);
  unlock();
  return done(result, error);
}

int unlink(const char *path) { return do_unlink(AT_FDCWD, path, 0); }
int unlinkat(int at, const char *path, int flags) { return do_unlink(at, path, flags); }
int remove(const char *path) {
  int result = do_unlink(AT_FDCWD, path, 0);
  return result != 0 && errno == EISDIR ? do_unlink(AT_FDCWD, path, AT_REMOVEDIR) : result;
}

static int do_name(enum kind kind, const char *from, const char *to) {
  char one[PATH_MAX], other[PATH_MAX];
  int watched = is_named(AT_FDCWD, from, one) + is_named(AT_FDCWD, to, other);
  if (watched > 0) lock();
  int result = kind == LINK ? syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0)
                            : syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  int error = errno;
  if (watched > 0) {
    if (result == 0) put(kind, 0, 0, NULL, 0, one, other);
    unlock();
  }
  return done(result, error);
}

int link(const char *from, const char *to) { return do_name(LINK, from, to); }
int rename(const char *from, const char *to) { return do_name(RENAME, from, to); }
