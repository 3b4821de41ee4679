package dev.ebb.dist;

import dev.ebb.dist.HostileJar.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Collects hostile JARs. */
abstract class HostileGroup {

  private static final String ONCE =
      "static final java.util.concurrent.atomic.AtomicBoolean once ="
          + " new java.util.concurrent.atomic.AtomicBoolean();";

  private final List<HostileJar> jars = new ArrayList<>();

  List<HostileJar> jars() {
    return jars;
  }

  /** Sets what the last JAR does when it is asked for a victim, and its other members. */
  void lastVictim(String code, String members) {
    last().code(Map.of("victim", code, "members", members));
  }

  HostileJar last() {
    return jars.getLast();
  }

  /** Runs statements in each call of a method. */
  void add(String group, String name, String place, String statements, Outcome... allowed) {
    Outcome[] others = Arrays.copyOfRange(allowed, 1, allowed.length);
    jars.add(
        new HostileJar(group, name, allowed[0], others)
            .code(Map.of(place, statements, "members", ONCE)));
  }

  /** Runs statements only in the first call. */
  void once(String group, String name, String place, String statements, Outcome... allowed) {
    add(group, name, place, "if (once.compareAndSet(false, true)) { " + statements + " }", allowed);
  }
}
