package dev.ebb.host.devkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.testing.TestSigner;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.PreemptionPolicyProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a verification says of a good JAR, and of each mistake that only running it shows. */
class VerificationTest {

  private static final String REFERENCE = "reference.conf says what create() says";

  private static final String COST = "costs little at any size";

  private static final String PREDICTOR =
      """
      package acme;

      import dev.ebb.spi.*;

      public final class Gap implements LifetimePredictorProvider {
        public String name() { return "gap"; }

        public LifetimePredictor create(PolicyContext context) {
          context.settings().number("half-life", 2, 0, 10);
          return new LifetimePredictor() {
            public void observe(Entry entry, Event event, double idleSeconds) {}

            public void predict(Entry entry, Prediction out) { out.set(1, 1); }
          };
        }
      }
      """;

  /** As a user verifies, but shorter, and without the largest size. */
  private static final Verification.Limits THOROUGH =
      new Verification.Limits(
          Duration.ofMillis(500),
          Verification.Limits.DEFAULT.check(),
          Verification.Limits.DEFAULT.threads(),
          Verification.Limits.DEFAULT.collection(),
          Verification.Limits.DEFAULT.requests(),
          Verification.Limits.DEFAULT.residents(),
          100_000);

  /** As good as never on a machine with much else to do. */
  private static final Verification.Limits PATIENT =
      limits(Duration.ofSeconds(20), Duration.ofSeconds(60));

  private static final Verification.Limits IMPATIENT =
      limits(Duration.ofSeconds(20), Duration.ofSeconds(1));

  @TempDir private Path home;
  private Path installed;

  private static Verification.Limits limits(Duration check, Duration leak) {
    return new Verification.Limits(Duration.ofMillis(20), check, leak, leak, 150, 5_000, 1_000);
  }

  @BeforeEach
  void dropFolder() {
    installed = Configs.plugins(home);
  }

  @Test
  void theSignerOfAJarIsReported() {
    Path jar =
        PluginJarBuilder.plugin("acme")
            .source("acme.Gap", PREDICTOR)
            .service(LifetimePredictorProvider.class, "acme.Gap")
            .writeTo(home, "mine.jar");
    TestSigner signer = TestSigner.of(home, "Acme");
    signer.sign(jar);

    assertThat(verification(PATIENT, new ArrayList<>()).run(jar).findings())
        .filteredOn(VerifyFinding::check, "is signed as a whole")
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.passed()).isTrue();
          assertThat(finding.message())
              .contains("'CN=Acme'", signer.fingerprint(), "is not trusted");
        });
  }

  @Test
  void aGoodPolicyPasses() {
    Path jar = PluginJarBuilder.plugin("acme").policy("oldest").writeTo(home, "mine.jar");
    Verdict verdict = verification(THOROUGH, new ArrayList<>()).run(jar);

    assertThat(failed(verdict)).isEmpty();
    assertThat(verdict.findings())
        .extracting(VerifyFinding::check)
        .contains(
            "can be loaded",
            "has names of its own",
            "offers every resident once",
            "takes over from another instance",
            "gives the same answers again",
            COST,
            "starts no thread",
            "leaves no thread",
            "leaves nothing in memory");
    assertThat(verdict.findings().getFirst().message()).isEqualTo("acme 1.0.0: policies oldest");
    assertThat(verdict.costs())
        .isNotEmpty()
        .allSatisfy(cost -> {
          assertThat(cost.nanosPerAccess()).isPositive();
          assertThat(cost.lruNanosPerReplacement()).isPositive();
        });
  }

  @Test
  void theDocumentedPreemptionPolicyPasses() throws IOException {
    String page = Files.readString(Path.of("..", "..", "docs", "writing-a-preemption-policy.md"));
    String source = page.substring(page.indexOf("```java\n") + 8);
    Verdict verdict =
        verify(
            PluginJarBuilder.plugin("acme")
                .source("acme.YoungestFirst", source.substring(0, source.indexOf("```")))
                .service(PreemptionPolicyProvider.class, "acme.YoungestFirst"));

    assertThat(failed(verdict)).isEmpty();
    assertThat(verdict.findings())
        .extracting(VerifyFinding::check)
        .contains("orders sequences consistently", "is created at any capacity");
  }

  @Test
  void aJarThatIsRefusedFailsWithTheReason() {
    Verdict verdict =
        verify(PluginJarBuilder.plugin("acme").policy("oldest").manifest("Plugin-Requires", "*"));

    assertThat(verdict.findings()).hasSize(1);
    assertThat(failure(verdict, "can be loaded"))
        .startsWith("Plugin-Requires '*' must be a range bounded on both sides");
  }

  @Test
  void aNameOfAnInstalledPluginFails() {
    PluginJarBuilder.plugin("theirs").policy("oldest").writeTo(installed, "theirs.jar");

    Verdict verdict = verify(PluginJarBuilder.plugin("acme").policy("oldest"));

    assertThat(failure(verdict, "has names of its own"))
        .contains("'oldest' is ambiguous", "[acme, theirs]")
        .endsWith("; taken by theirs.jar: give yours another name()");
    assertThat(failed(verdict)).hasSize(1);
    assertThat(verdict.findings())
        .extracting(VerifyFinding::check)
        .contains("offers every resident once", "leaves nothing in memory");
  }

  @Test
  void anOlderVersionOfTheSamePluginIsNoClash() {
    PluginJarBuilder.plugin("acme").version("0.9.0").policy("oldest").writeTo(installed, "v.jar");

    assertThat(failed(verify(PluginJarBuilder.plugin("acme").policy("oldest")))).isEmpty();
  }

  @Test
  void aThreadThatIsStartedIsNamed() {
    Verdict verdict =
        verifyLeak(
            PluginJarBuilder.plugin("acme")
                .policy(
                    "oldest",
                    """
                    Thread thread = new Thread(() -> {
                      try { Thread.sleep(60_000); } catch (InterruptedException e) {}
                    }, "acme-cleaner");
                    thread.setDaemon(true);
                    thread.start();
                    """));

    assertThat(failure(verdict, "starts no thread"))
        .startsWith("running before close(): acme-cleaner; start no threads");
    assertThat(failure(verdict, "leaves no thread"))
        .startsWith("running after close(): acme-cleaner; start no threads");
    assertThat(failure(verdict, "leaves nothing in memory"))
        .endsWith("the threads it left refer to them");
  }

  @Test
  void aThreadThatCloseStopsIsNamedToo() {
    Verdict verdict =
        verify(
            queued(
                """
                final Thread worker = new Thread(() -> {
                  try { Thread.sleep(60_000); } catch (InterruptedException e) {}
                }, "acme-worker");
                { worker.setDaemon(true); worker.start(); }
                public void close() { worker.interrupt(); }
                """));

    assertThat(failure(verdict, "starts no thread"))
        .isEqualTo(
            "running before close(): acme-worker; start no threads: the host calls an instance when"
                + " necessary");
    assertThat(failed(verdict)).hasSize(1);
  }

  @Test
  void aThreadOfTheJvmIsNoThreadOfThePlugin() {
    Verdict verdict =
        verify(
            queued(
                """
                static final Thread ofTheJvm =
                    java.util.concurrent.CompletableFuture.supplyAsync(Thread::currentThread).join();
                """));

    assertThat(verdict.findings())
        .filteredOn(finding -> finding.check().equals("starts no thread"))
        .singleElement()
        .matches(VerifyFinding::passed);
  }

  @Test
  void aThreadLocalThatStaysIsReported() {
    Verdict verdict =
        verifyLeak(
            PluginJarBuilder.plugin("acme")
                .policy("oldest", "new ThreadLocal<Object>().set(new Policy());"));

    assertThat(failure(verdict, "leaves nothing in memory"))
        .contains("it leaves a ThreadLocal on the host's thread; keep state in fields");
    assertThat(verdict.findings())
        .filteredOn(finding -> finding.check().equals("leaves no thread"))
        .allMatch(VerifyFinding::passed);
  }

  @Test
  void aShutdownHookThatStaysIsReported() {
    Verdict verdict =
        verifyLeak(
            PluginJarBuilder.plugin("acme")
                .policy(
                    "oldest",
                    "Runtime.getRuntime().addShutdownHook(new Thread(() -> new Policy()));"));

    assertThat(failure(verdict, "leaves nothing in memory"))
        .contains("something outside refers to them, such as a shutdown hook");
  }

  @Test
  void aBrokenRuleIsQuotedWithTheSeed() {
    Verdict verdict =
        verify(
            PluginJarBuilder.plugin("acme")
                .policy("oldest", "if (context.capacityBlocks() > 99) { return null; }"));

    assertThat(failure(verdict, "is created at any capacity"))
        .contains("create() at capacity 100 returned null", "rule: create() returns", "seed 1");
    assertThat(verdict.costs()).isEmpty();
  }

  @Test
  void aCallThatNeverReturnsEndsTheVerification() {
    List<VerifyFinding> reported = new ArrayList<>();
    Verdict verdict =
        verification(limits(Duration.ofSeconds(3), Duration.ofSeconds(8)), reported)
            .run(
                queued(
                        """
                        public Entry victim(Demand demand) {
                          try { Thread.sleep(600_000); } catch (InterruptedException e) {}
                          return null;
                        }
                        """)
                    .tokenPolicy("newest")
                    .writeTo(home, "mine.jar"));

    assertThat(failed(verdict)).hasSize(1);
    assertThat(failure(verdict, "copes with being empty")).startsWith("not done after 3 s, last");
    assertThat(verdict.findings().subList(verdict.findings().size() - 2, verdict.findings().size()))
        .noneMatch(VerifyFinding::run)
        .allSatisfy(finding ->
            assertThat(finding.message())
                .contains("a call of 'copes with being empty' never returned"))
        .extracting(VerifyFinding::check)
        .satisfiesExactly(
            rest -> assertThat(rest).matches("\\d\\d more checks"),
            last -> assertThat(last).isEqualTo("cost, memory, threads and unloading"));
    assertThat(reported).isEqualTo(verdict.findings());
  }

  @Test
  void aPolicyThatCannotBeMadeFailsOnce() {
    Verdict verdict =
        verify(
            PluginJarBuilder.plugin("acme")
                .policy("oldest", "if (true) throw new IllegalStateException(\"too deep\");"));

    assertThat(failed(verdict)).hasSize(1);
    assertThat(failure(verdict, "is created at any capacity"))
        .contains("create() at capacity 1 threw", "too deep");
    assertThat(verdict.findings())
        .filteredOn(finding -> !finding.run())
        .singleElement()
        .satisfies(finding ->
            assertThat(finding.message())
                .startsWith("no instance can be made as the contract asks"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "final Map<Long, Long> seen = new HashMap<>();",
        "static final Map<Long, Long> seen = new java.util.concurrent.ConcurrentHashMap<>();"
      })
  void memoryThatGrowsWithWhatLeavesIsReported(String seen) {
    Verdict verdict =
        verify(
            queued(
                seen
                    + """
                    public void removed(Node node, RemovalCause cause) {
                      seen.put(sequence++, 1L);
                      super.removed(node, cause);
                    }
                    long sequence;
                    """));

    assertThat(failure(verdict, "keeps nothing of removed entries"))
        .containsPattern("its memory grows by [1-9][0-9]+ bytes for each removed entry");
    assertThat(failed(verdict)).hasSize(1);
  }

  @Test
  void garbageOfAnAccessIsReported() {
    Verdict verdict =
        verify(
            queued(
                """
                public void accessed(Node node) { sink = new long[64]; super.accessed(node); }
                long[] sink;
                """));

    assertThat(failure(verdict, "allocates nothing for an access"))
        .startsWith("528 bytes on average, over 50,000 accesses");
    assertThat(failed(verdict)).hasSize(1);
  }

  @Test
  void aPolicyThatThrowsWhileItIsMeasuredFailsThatCheckAlone() {
    // Long enough for 50,000 insertions.
    Verdict verdict =
        verification(Verification.Limits.DEFAULT, new ArrayList<>())
            .run(
                queued(
                        """
                        public Node inserted(Entry entry) {
                          if (++inserted > 50_000) { throw new IllegalStateException("worn out"); }
                          return super.inserted(entry);
                        }
                        long inserted;
                        """)
                    .writeTo(home, "mine.jar"));

    String thrown = "java.lang.IllegalStateException: worn out, at acme.Provider$Policy.inserted";
    assertThat(failure(verdict, "keeps nothing of removed entries"))
        .startsWith(
            "policy 'oldest' failed with 20,000 residents: " + thrown + "(Provider.java:13)");
    assertThat(failure(verdict, COST))
        .matches("policy 'oldest' failed with 10*,000 residents: .*")
        .contains(thrown);
    assertThat(verdict.findings())
        .filteredOn(VerifyFinding::passed)
        .extracting(VerifyFinding::check)
        .contains("allocates nothing for an access", "leaves nothing in memory");
  }

  @Test
  void anErrorOfThePolicyWhileItIsMeasuredIsReportedToo() {
    Verdict verdict =
        verify(
            queued(
                """
                public void accessed(Node node) {
                  if (++accessed > 40_000) { accessed(node); }
                }
                long accessed;
                """));

    assertThat(failure(verdict, "allocates nothing for an access"))
        .startsWith(
            "policy 'oldest' failed with 5,000 residents: java.lang.StackOverflowError, at"
                + " acme.Provider$Policy.accessed(Provider.java:13)");
    assertThat(verdict.findings().getLast().check()).isEqualTo("leaves nothing in memory");
  }

  @Test
  void aPolicyThatExceedsItsOwnBudgetPassesWithAWarning() {
    Verdict verdict = verify(queued("public long evictionBudgetNanos() { return 1; }"));

    assertThat(verdict.findings())
        .filteredOn(VerifyFinding::check, COST)
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.passed()).isTrue();
          assertThat(finding.warning()).isTrue();
          assertThat(finding.message())
              .contains("with 1,000 residents an access takes", "its budget is 1 ns")
              .contains("return more from evictionBudgetNanos()");
        });
    assertThat(verdict.passed()).isTrue();
    assertThat(verdict.costs())
        .allSatisfy(cost -> {
          assertThat(cost.budgetNanos()).isEqualTo(1);
          assertThat(cost.slowestNanos()).isPositive();
          assertThat(cost.load()).isGreaterThanOrEqualTo(1);
        });
  }

  @Test
  void anEvictionThatTakesLongerThanComputingTheBlockFails() {
    Verdict verdict =
        verify(
            queued(
                """
                public long evictionBudgetNanos() { return Long.MAX_VALUE; }
                public Entry victim(Demand demand) {
                  if (size == 1_000) {
                    try { Thread.sleep(100); } catch (InterruptedException e) {}
                  }
                  return super.victim(demand);
                }
                """));

    assertThat(failure(verdict, COST))
        .startsWith("with 1,000 residents")
        .contains("% of the time to compute a block of 16 tokens", "no search");
  }

  @Test
  void aRangeOfSpisWithoutTheUsedClassesIsAWarning() {
    PluginJarBuilder sampled =
        PluginJarBuilder.plugin("acme")
            .provider(
                "acme.Provider",
                """
                package acme;

                import dev.ebb.spi.*;

                public final class Provider implements BlockPolicyProvider {
                  public String name() { return "sampled"; }

                  public BlockPolicy<?> create(PolicyContext context) {
                    return new SampledBlockPolicy<SampledBlockPolicy.Node>(
                        context.random(), 8, SampledBlockPolicy.Node::new) {
                      protected double rank(Node node) { return node.entry().lastAccessTick(); }
                    };
                  }
                }
                """);

    assertThat(spiUse(verify(sampled)))
        .satisfies(finding -> {
          assertThat(finding.passed()).isTrue();
          assertThat(finding.message())
              .startsWith("Plugin-Requires '>=1.0.0 & <2.0.0' allows an SPI without")
              .contains("dev.ebb.spi.SampledBlockPolicy (since 1.6.0)")
              .endsWith("write '>=1.6.0 & <2.0.0'");
        })
        .matches(VerifyFinding::warning);
    assertThat(spiUse(verify(sampled.manifest("Plugin-Requires", ">=1.6.0 & <2.0.0"))))
        .matches(finding -> !finding.warning() && finding.message().isEmpty());
  }

  private static VerifyFinding spiUse(Verdict verdict) {
    return verdict.findings().stream()
        .filter(finding -> finding.check().equals("requires the SPI that it uses"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void whatTheReferenceConfSaysCountsOverCreate() {
    String onlyAsServed =
        """
        if (context.settings().integer("bonus", 30, 0, 1_000) != 60) {
          throw new IllegalStateException("made with the default in create()");
        }
        """;
    Verdict verdict =
        verify(
            PluginJarBuilder.plugin("acme")
                .policy("oldest", onlyAsServed)
                .entry("reference.conf", "oldest { bonus = 60 }"));

    assertThat(failure(verdict, REFERENCE))
        .isEqualTo(
            "oldest.bonus: reference.conf says '60', create() says '30': the former takes"
                + " precedence; make them equal");
    assertThat(failed(verdict)).hasSize(1);
    assertThat(verdict.costs()).isNotEmpty();
  }

  @Test
  void aReferenceConfThatSaysTheSamePasses() {
    Verdict verdict =
        verify(
            PluginJarBuilder.plugin("acme")
                .policy(
                    "oldest",
                    """
                    Settings settings = context.settings();
                    settings.string("text", "a b");
                    settings.integer("integer", 3, 0, 9);
                    settings.number("number", 2, 0, 9);
                    settings.flag("flag", true);
                    settings.bytes("bytes", 1 << 20, 0, 1 << 30);
                    settings.duration("duration", java.time.Duration.ofSeconds(90));
                    settings.choice("choice", Ageing.DYNAMIC);
                    """)
                .entry(
                    "reference.conf",
                    """
                    oldest {
                      text = a b
                      integer = 3
                      number = 2.0
                      flag = true
                      bytes = 1024 KiB
                      duration = 1.5 minutes
                      choice = dynamic
                    }
                    """));

    assertThat(failed(verdict)).isEmpty();
    assertThat(verdict.findings()).extracting(VerifyFinding::check).contains(REFERENCE);
  }

  @Test
  void anUnreadKeyOfTheReferenceConfIsReported() {
    Verdict verdict =
        verify(
            PluginJarBuilder.plugin("acme")
                .policy("oldest", "context.settings().integer(\"bonus\", 60, 0, 1_000);")
                .tokenPolicy("newest")
                .source("acme.Gap", PREDICTOR)
                .service(LifetimePredictorProvider.class, "acme.Gap")
                .entry("reference.conf", "oldest.bonsu = 60, newest.window = 1, gap.halflife = 2"));

    assertThat(verdict.findings())
        .filteredOn(finding -> finding.check().equals(REFERENCE))
        .extracting(VerifyFinding::strategy, VerifyFinding::message)
        .containsExactly(
            tuple(
                "policy oldest",
                "reference.conf: unknown setting 'bonsu' (did you mean 'bonus'?) for policy"
                    + " 'oldest'; allowed: bonus"),
            tuple(
                "token policy newest",
                "reference.conf: unknown setting 'window' for token policy 'newest'; it has no"
                    + " settings"),
            tuple(
                "lifetime predictor gap",
                "reference.conf: unknown setting 'halflife' (did you mean 'half-life'?) for"
                    + " lifetime predictor 'gap'; allowed: half-life"));
    assertThat(failed(verdict)).hasSize(3);
  }

  @Test
  void aWrongValueInTheReferenceConfIsReportedAsInProduction() {
    Verdict verdict =
        verify(
            PluginJarBuilder.plugin("acme")
                .policy("oldest", "context.settings().integer(\"bonus\", 60, 0, 1_000);")
                .entry("reference.conf", "oldest { bonus = many }"));

    String wrong = "reference.conf: oldest.bonus = 'many' must be a whole number from 0 to 1000";
    assertThat(failure(verdict, REFERENCE)).isEqualTo(wrong);
    assertThat(failure(verdict, "is created at any capacity"))
        .contains(wrong + " at acme.OldestProvider.create(OldestProvider.java:9)");
    assertThat(failed(verdict)).hasSize(2);
  }

  @Test
  void aFileThatIsNotThereIsTheUsersMistake() throws Exception {
    Verification verification = verification();
    Path text = Files.writeString(home.resolve("a.txt"), "");

    assertThatThrownBy(() -> verification.run(home.resolve("no.jar")))
        .hasMessage(
            "'%s' does not exist, or is not a file; name a built JAR", home.resolve("no.jar"));
    assertThatThrownBy(() -> verification.run(text))
        .hasMessage("'%s' does not end in .jar; name a built JAR", text);
  }

  /** A policy that is right, but for these members. */
  private static PluginJarBuilder queued(String members) {
    return PluginJarBuilder.plugin("acme")
        .provider(
            "acme.Provider",
            """
            package acme;

            import dev.ebb.spi.*;
            import java.util.*;

            public final class Provider implements BlockPolicyProvider {
              public String name() { return "oldest"; }

              public BlockPolicy<?> create(PolicyContext context) { return new Policy(); }

              static final class Policy extends Fifo {
                %s
              }

              static class Fifo implements BlockPolicy<Fifo.Node> {
                static final class Node extends NodeList.Node<Node> {
                  final Entry entry;
                  Node(Entry entry) { this.entry = entry; }
                }

                final NodeList<Node> queue = new NodeList<>();
                long size;

                public Node inserted(Entry entry) {
                  Node node = new Node(entry);
                  queue.addHot(node);
                  size++;
                  return node;
                }

                public void accessed(Node node) {}

                public Entry victim(Demand demand) {
                  return queue.isEmpty() ? null : queue.cold().entry;
                }

                public void removed(Node node, RemovalCause cause) {
                  if (node.list() != null) { queue.remove(node); }
                  size--;
                }

                public void refused(Node node) { queue.remove(node); }

                public void released(Node node) { queue.addCold(node); }

                public long size() { return size; }
              }
            }
            """
                .formatted(members));
  }

  private Verification verification() {
    return verification(PATIENT, new ArrayList<>());
  }

  private Verification verification(Verification.Limits limits, List<VerifyFinding> reported) {
    VerifyProgress progress =
        new VerifyProgress() {
          @Override
          public void at(String what, int done, int total) {}

          @Override
          public void found(VerifyFinding finding) {
            reported.add(finding);
          }
        };
    return new Verification(Configs.defaults(home).config(), progress, limits);
  }

  /** With a short wait for threads and classes that stay until the test ends. */
  private Verdict verifyLeak(PluginJarBuilder jar) {
    return verification(IMPATIENT, new ArrayList<>()).run(jar.writeTo(home, "mine.jar"));
  }

  private Verdict verify(PluginJarBuilder jar) {
    return verification().run(jar.writeTo(home, "mine.jar"));
  }

  /** What failed, but for what a machine with much else to do may find slow. */
  private static List<VerifyFinding> failed(Verdict verdict) {
    return verdict.findings().stream()
        .filter(finding -> finding.run() && !finding.passed() && !finding.check().equals(COST))
        .toList();
  }

  private static String failure(Verdict verdict, String check) {
    assertThat(verdict.passed()).isFalse();
    List<VerifyFinding> failed =
        verdict.findings().stream()
            .filter(finding -> finding.check().equals(check) && !finding.passed())
            .toList();
    assertThat(failed).as(verdict.toString()).hasSize(1);
    return failed.getFirst().message();
  }
}
