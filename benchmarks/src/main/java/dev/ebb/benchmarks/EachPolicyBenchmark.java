package dev.ebb.benchmarks;

import org.openjdk.jmh.annotations.Param;

/** A benchmark of each policy. */
public abstract class EachPolicyBenchmark extends ZipfBenchmark {

  /** The policy's name. */
  @Param({
    "lru",
    "fifo",
    "sieve",
    "s3-fifo",
    "clock",
    "2q",
    "qdlp",
    "lirs",
    "gdsf",
    "lecar",
    "hyperbolic",
    "lhd",
    "w-tinylfu",
    "slru",
    "t-lru",
    "ttl-lru",
    "retention",
    "session-refs",
    "marconi",
    "workload-aware",
    "arc",
    "lfu",
    "priority",
    "lifetime",
    "predictive"
  })
  String policy = "";

  EachPolicyBenchmark() {}
}
