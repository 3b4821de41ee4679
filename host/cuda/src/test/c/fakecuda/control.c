// What tests turn: failures, devices, memory, when work runs. As exported functions for the process
// that loaded the library, and as environment variables for one that is started.
#include "fakecuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FAULTS = 32, MAX_NAMES = 256 };

static struct {
  char function[64];
  int nth;
  CUresult code;
} faults[MAX_FAULTS];

static struct {
  const char* function;
  long calls;
} counts[MAX_NAMES];

static int devices = 1;
static uint64_t memory = 256ull << 20;
static int worker;
static int peers = 1;
static long pageable;
static int version = 12060;
static CUresult lost_code[MAX_DEVICES];

void fakecuda_fail(const char* function, int nth, CUresult code) {
  lock();
  for (int i = 0; i < MAX_FAULTS; i++) {
    if (faults[i].nth > 0) continue;
    snprintf(faults[i].function, sizeof faults[i].function, "%s", function);
    faults[i].nth = nth;
    faults[i].code = code;
    break;
  }
  unlock();
}

void fakecuda_lose_device(int device, CUresult code) {
  lock();
  lost_code[device] = code;
  unlock();
}

void fakecuda_run_on_worker(int on) {
  lock();
  worker = on;
  if (on) wake_worker();
  unlock();
}

void fakecuda_allow_peers(int allowed) {
  lock();
  peers = allowed;
  unlock();
}

void fakecuda_set_version(int driver_version) {
  lock();
  version = driver_version;
  unlock();
}

long fakecuda_calls(const char* function) {
  lock();
  long calls = 0;
  for (int i = 0; i < MAX_NAMES && counts[i].function != NULL; i++) {
    if (strcmp(counts[i].function, function) == 0) calls = counts[i].calls;
  }
  unlock();
  return calls;
}

// Asynchronous copies between a device and host memory that is not pinned: legal, but slow.
long fakecuda_pageable_copies(void) { return pageable; }

void fakecuda_reset(int device_number, uint64_t device_bytes) {
  lock();
  reset_streams();
  reset_memory();
  reset_contexts();
  memset(faults, 0, sizeof faults);
  memset(counts, 0, sizeof counts);
  memset(lost_code, 0, sizeof lost_code);
  devices = device_number;
  memory = device_bytes;
  worker = 0;
  peers = 1;
  pageable = 0;
  version = 12060;
  unlock();
}

__attribute__((constructor)) static void read_environment(void) {
  const char* value = getenv("FAKECUDA_DEVICES");
  if (value != NULL) devices = atoi(value);
  value = getenv("FAKECUDA_MEMORY");
  if (value != NULL) memory = strtoull(value, NULL, 10);
  value = getenv("FAKECUDA_WORKER");
  if (value != NULL && atoi(value) != 0) fakecuda_run_on_worker(1);
  value = getenv("FAKECUDA_FAIL");
  char function[64];
  int nth, code;
  if (value != NULL && sscanf(value, "%63[^,],%d,%d", function, &nth, &code) == 3) {
    fakecuda_fail(function, nth, code);
  }
}

CUresult injected(const char* function) {
  for (int i = 0; i < MAX_FAULTS; i++) {
    if (faults[i].nth > 0 && strcmp(faults[i].function, function) == 0 && --faults[i].nth == 0) {
      return faults[i].code;
    }
  }
  return SUCCESS;
}

void count_call(const char* function) {
  for (int i = 0; i < MAX_NAMES; i++) {
    if (counts[i].function == NULL) counts[i].function = function;
    if (strcmp(counts[i].function, function) == 0) {
      counts[i].calls++;
      return;
    }
  }
}

int device_count(void) { return devices; }
uint64_t device_memory(void) { return memory; }
int driver_version(void) { return version; }
int peers_possible(void) { return peers; }
int runs_on_worker(void) { return worker; }
CUresult lost(CUdevice device) { return lost_code[device]; }
void fakecuda_count_pageable(void) { pageable++; }
