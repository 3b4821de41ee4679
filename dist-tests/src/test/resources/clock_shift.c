/* Shifts the wall clock of a process by CLOCK_SHIFT_SECONDS; monotonic clocks stay as they are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift(void) {
  const char *seconds = getenv("CLOCK_SHIFT_SECONDS");
  return seconds == NULL ? 0 : atol(seconds);
}

static long by;

__attribute__((constructor)) static void start(void) {
  by = shift();
}

int clock_gettime(clockid_t id, struct timespec *now) {
  int failed = (int) syscall(SYS_clock_gettime, id, now);
  if (failed == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
    now->tv_sec += by;
  }
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec exact;
  (void) zone;
  int failed = clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return failed;
}

/* The kernel does not know the shifted clock, so a wait until one of its times is shifted back. */
int pthread_cond_timedwait(
    pthread_cond_t *restrict condition,
    pthread_mutex_t *restrict mutex,
    const struct timespec *restrict until) {
  static int (*wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  struct timespec real = *until;
  if (wait == NULL) {
    *(void **) &wait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  }
  /* Only the wall clock counts from 1970: no machine has been up for thirty years. */
  if (real.tv_sec > 1000000000) {
    real.tv_sec -= by;
  }
  return wait(condition, mutex, &real);
}
