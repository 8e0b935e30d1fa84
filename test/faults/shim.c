// Preloaded (LD_PRELOAD) into a command and everything it starts, git included: counts the file system calls below given folders and
// makes one of them fail, or all from one on. Set by the environment:
//   FAULT_ROOTS  folders, separated by colons; calls elsewhere pass
//   FAULT_STATE  a file of 16 bytes that all processes share: calls counted, calls failed
//   FAULT_LOG    a file that gets one line for each call that failed
//   FAULT_ERRNO  ENOSPC, EACCES, EMFILE or EIO; decides which calls count (a full disk fails no reading). KILL: the process is killed
//                before a call that writes
//   FAULT_AT     the number of the call that fails; 0: none, all are counted
//   FAULT_STICKY 1: all later calls fail too
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// What a call does; a condition of the machine fails some kinds only.
enum { LOOK = 1, OPEN = 2, MAKE = 4, READ = 8, WRITE = 16, REMOVE = 32 };

static unsigned *state;
static char roots[8][PATH_MAX];
static int root_count, fault, kinds, sticky;
static unsigned at;
static char log_path[PATH_MAX];
static __thread int inside;

static long raw(long number, ...) {
  static long (*real)(long, ...);
  if (!real) real = dlsym(RTLD_NEXT, "syscall");
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long), d = va_arg(list, long);
  va_end(list);
  return real(number, a, b, c, d);
}

__attribute__((constructor)) static void begin(void) {
  const char *names = getenv("FAULT_ROOTS"), *file = getenv("FAULT_STATE"), *name = getenv("FAULT_ERRNO");
  const char *number = getenv("FAULT_AT"), *stays = getenv("FAULT_STICKY"), *log = getenv("FAULT_LOG");
  if (!names || !file || !name) return;
  char copy[8 * PATH_MAX];
  snprintf(copy, sizeof copy, "%s", names);
  for (char *save, *each = strtok_r(copy, ":", &save); each && root_count < 8; each = strtok_r(NULL, ":", &save))
    snprintf(roots[root_count++], PATH_MAX, "%s", each);
  if (!strcmp(name, "ENOSPC")) fault = ENOSPC, kinds = MAKE | WRITE;
  if (!strcmp(name, "EACCES")) fault = EACCES, kinds = LOOK | OPEN | MAKE | REMOVE;
  if (!strcmp(name, "EMFILE")) fault = EMFILE, kinds = OPEN;
  if (!strcmp(name, "EIO")) fault = EIO, kinds = LOOK | OPEN | MAKE | READ | WRITE | REMOVE;
  if (!strcmp(name, "KILL")) fault = 0, kinds = MAKE | WRITE | REMOVE;
  at = number ? (unsigned)atoi(number) : 0;
  sticky = stays && *stays == '1';
  if (log) snprintf(log_path, sizeof log_path, "%s", log);
  int fd = (int)raw(SYS_openat, AT_FDCWD, file, O_RDWR, 0);
  if (fd < 0) return;
  void *shared = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  raw(SYS_close, (long)fd, 0L, 0L, 0L);
  if (shared != MAP_FAILED) state = shared;
}

static int is_below(const char *path) {
  for (int i = 0; i < root_count; i++) {
    size_t length = strlen(roots[i]);
    if (!strncmp(path, roots[i], length) && (path[length] == '/' || path[length] == 0)) return 1;
  }
  return 0;
}

static int judge(const char *call, const char *path, int kind) {
  if (!state || !(kind & kinds) || !is_below(path)) return 0;
  unsigned number = __atomic_add_fetch(&state[0], 1, __ATOMIC_SEQ_CST);
  if (at == 0 || (sticky ? number < at : number != at)) return 0;
  __atomic_add_fetch(&state[1], 1, __ATOMIC_SEQ_CST);
  char line[PATH_MAX + 64];
  int length = snprintf(line, sizeof line, "%u %s %s\n", number, call, path);
  int fd = (int)raw(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (fd >= 0) {
    raw(SYS_write, (long)fd, line, (long)length, 0L);
    raw(SYS_close, (long)fd, 0L, 0L, 0L);
  }
  if (fault == 0) raise(SIGKILL);
  errno = fault;
  return 1;
}

static void absolute(int dir, const char *path, char *into) {
  char base[PATH_MAX] = "", link[64];
  if (path[0] == '/') {
    snprintf(into, PATH_MAX, "%s", path);
    return;
  }
  if (dir == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
  else snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
  long length = raw(SYS_readlinkat, AT_FDCWD, link, base, (long)sizeof base - 1);
  base[length < 0 ? 0 : length] = 0;
  if (snprintf(into, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) into[PATH_MAX - 1] = 0;
}

static int fails_at(const char *call, int dir, const char *path, int kind) {
  if (!state || inside || !path) return 0;
  int before = errno;
  char full[PATH_MAX];
  inside = 1;
  absolute(dir, path, full);
  int failed = judge(call, full, kind);
  inside = 0;
  if (!failed) errno = before;
  return failed;
}

static int fails(const char *call, const char *path, int kind) { return fails_at(call, AT_FDCWD, path, kind); }

static int fails_fd(const char *call, int fd, int kind) {
  if (!state || inside) return 0;
  int before = errno;
  char link[64], path[PATH_MAX];
  inside = 1;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = raw(SYS_readlinkat, AT_FDCWD, link, path, (long)sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  int failed = judge(call, path, kind);
  inside = 0;
  if (!failed) errno = before;
  return failed;
}

#define REAL(type, name, types) \
  static type(*real) types;     \
  if (!real) real = dlsym(RTLD_NEXT, name)

static int kind_of_open(int flags) { return flags & O_CREAT ? OPEN | MAKE : OPEN; }

#define OPENER(name)                                                   \
  int name(const char *path, int flags, ...) {                         \
    REAL(int, #name, (const char *, int, ...));                        \
    va_list list;                                                      \
    va_start(list, flags);                                             \
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;  \
    va_end(list);                                                      \
    return fails("open", path, kind_of_open(flags)) ? -1 : real(path, flags, mode); \
  }
OPENER(open)
OPENER(open64)

int __open64_2(const char *path, int flags) {
  REAL(int, "__open64_2", (const char *, int));
  return fails("open", path, kind_of_open(flags)) ? -1 : real(path, flags);
}

#define OPENER_AT(name)                                                \
  int name(int dir, const char *path, int flags, ...) {                \
    REAL(int, #name, (int, const char *, int, ...));                   \
    va_list list;                                                      \
    va_start(list, flags);                                             \
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;  \
    va_end(list);                                                      \
    return fails_at("openat", dir, path, kind_of_open(flags)) ? -1 : real(dir, path, flags, mode); \
  }
OPENER_AT(openat)
OPENER_AT(openat64)

#define FILE_OPENER(name)                                              \
  FILE *name(const char *path, const char *mode) {                     \
    REAL(FILE *, #name, (const char *, const char *));                 \
    return fails("fopen", path, mode[0] == 'r' ? OPEN : OPEN | MAKE) ? NULL : real(path, mode); \
  }
FILE_OPENER(fopen)
FILE_OPENER(fopen64)

DIR *opendir(const char *path) {
  REAL(DIR *, "opendir", (const char *));
  return fails("opendir", path, OPEN) ? NULL : real(path);
}

#define SCANNER(name, entry)                                           \
  int name(const char *path, struct entry ***list, int (*filter)(const struct entry *), \
           int (*compare)(const struct entry **, const struct entry **)) { \
    REAL(int, #name, (const char *, struct entry ***, int (*)(const struct entry *), \
                      int (*)(const struct entry **, const struct entry **))); \
    return fails("scandir", path, OPEN) ? -1 : real(path, list, filter, compare); \
  }
SCANNER(scandir, dirent)
SCANNER(scandir64, dirent64)

#define BY_PATH(type, name, kind, bad, signature, path, ...)           \
  type name signature {                                                \
    REAL(type, #name, signature);                                      \
    return fails(#name, path, kind) ? bad : real(__VA_ARGS__);         \
  }
BY_PATH(int, mkdir, MAKE, -1, (const char *path, mode_t mode), path, path, mode)
BY_PATH(int, rmdir, REMOVE, -1, (const char *path), path, path)
BY_PATH(int, unlink, REMOVE, -1, (const char *path), path, path)
BY_PATH(int, rename, MAKE, -1, (const char *path, const char *to), to, path, to)
BY_PATH(int, link, MAKE, -1, (const char *path, const char *to), to, path, to)
BY_PATH(int, symlink, MAKE, -1, (const char *path, const char *to), to, path, to)
BY_PATH(ssize_t, readlink, LOOK, -1, (const char *path, char *into, size_t size), path, path, into, size)
BY_PATH(char *, realpath, LOOK, NULL, (const char *path, char *into), path, path, into)
BY_PATH(int, access, LOOK, -1, (const char *path, int mode), path, path, mode)
BY_PATH(int, chmod, MAKE, -1, (const char *path, mode_t mode), path, path, mode)
BY_PATH(int, stat, LOOK, -1, (const char *path, struct stat *into), path, path, into)
BY_PATH(int, lstat, LOOK, -1, (const char *path, struct stat *into), path, path, into)
BY_PATH(int, stat64, LOOK, -1, (const char *path, struct stat64 *into), path, path, into)
BY_PATH(int, lstat64, LOOK, -1, (const char *path, struct stat64 *into), path, path, into)
BY_PATH(int, mkstemp64, OPEN | MAKE, -1, (char *path), path, path)
BY_PATH(char *, mkdtemp, MAKE, NULL, (char *path), path, path)

#define BY_FD(type, name, kind, signature, ...)                        \
  type name signature {                                                \
    REAL(type, #name, signature);                                      \
    return fails_fd(#name, fd, kind) ? -1 : real(__VA_ARGS__);         \
  }
BY_FD(ssize_t, read, READ, (int fd, void *into, size_t size), fd, into, size)
BY_FD(ssize_t, pread, READ, (int fd, void *into, size_t size, off_t from), fd, into, size, from)
BY_FD(ssize_t, pread64, READ, (int fd, void *into, size_t size, off64_t from), fd, into, size, from)
BY_FD(ssize_t, readv, READ, (int fd, const struct iovec *parts, int count), fd, parts, count)
BY_FD(ssize_t, preadv64, READ, (int fd, const struct iovec *parts, int count, off64_t from), fd, parts, count, from)
BY_FD(ssize_t, write, WRITE, (int fd, const void *from, size_t size), fd, from, size)
BY_FD(ssize_t, pwrite, WRITE, (int fd, const void *from, size_t size, off_t to), fd, from, size, to)
BY_FD(ssize_t, pwrite64, WRITE, (int fd, const void *from, size_t size, off64_t to), fd, from, size, to)
BY_FD(ssize_t, writev, WRITE, (int fd, const struct iovec *parts, int count), fd, parts, count)
BY_FD(ssize_t, pwritev64, WRITE, (int fd, const struct iovec *parts, int count, off64_t to), fd, parts, count, to)
BY_FD(int, fstat64, LOOK, (int fd, struct stat64 *into), fd, into)
BY_FD(int, fsync, WRITE, (int fd), fd)
BY_FD(int, fdatasync, WRITE, (int fd), fd)
BY_FD(int, ftruncate, WRITE, (int fd, off_t size), fd, size)
BY_FD(int, ftruncate64, WRITE, (int fd, off64_t size), fd, size)
BY_FD(int, fchmod, MAKE, (int fd, mode_t mode), fd, mode)

// libuv asks for the state of files this way.
long syscall(long number, ...) {
  static long (*real)(long, ...);
  if (!real) real = dlsym(RTLD_NEXT, "syscall");
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (number == SYS_statx) {
    const char *path = (const char *)b;
    if (path && *path ? fails_at("statx", (int)a, path, LOOK) : fails_fd("statx", (int)a, LOOK)) return -1;
  }
  return real(number, a, b, c, d, e, f);
}
