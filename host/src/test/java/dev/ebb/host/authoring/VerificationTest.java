package dev.ebb.host.authoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.testing.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a verification says of a good JAR, and of each mistake that only running it shows. */
class VerificationTest {

  @TempDir private Path home;
  private Path installed;

  @BeforeEach
  void dropFolder() {
    installed = Configs.plugins(home);
  }

  @Test
  void aGoodPolicyPasses() {
    Verdict verdict = verify(PluginJarBuilder.plugin("acme").policy("oldest"));

    assertThat(failed(verdict)).isEmpty();
    assertThat(verdict.findings())
        .extracting(Finding::check)
        .contains(
            "can be loaded",
            "has names of its own",
            "offers every resident once",
            "takes over from another instance",
            "gives the same answers again",
            "costs little at any size",
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
        .contains("'oldest' is ambiguous", "[acme, theirs]");
  }

  @Test
  void anOlderVersionOfTheSamePluginIsNoClash() {
    PluginJarBuilder.plugin("acme").version("0.9.0").policy("oldest").writeTo(installed, "v.jar");

    assertThat(failed(verify(PluginJarBuilder.plugin("acme").policy("oldest")))).isEmpty();
  }

  @Test
  void aThreadThatIsStartedIsNamed() {
    Verdict verdict =
        verify(
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

    assertThat(failure(verdict, "leaves no thread"))
        .startsWith("running after close(): acme-cleaner; start none");
    assertThat(failure(verdict, "leaves nothing in memory"))
        .endsWith("the threads it left hold on to them");
  }

  @Test
  void aThreadLocalThatStaysIsTold() {
    Verdict verdict =
        verify(
            PluginJarBuilder.plugin("acme")
                .policy("oldest", "new ThreadLocal<Object>().set(new Policy());"));

    assertThat(failure(verdict, "leaves nothing in memory"))
        .contains("it leaves a ThreadLocal on the host's thread; keep state in fields");
    assertThat(verdict.findings())
        .filteredOn(finding -> finding.check().equals("leaves no thread"))
        .allMatch(Finding::passed);
  }

  @Test
  void aShutdownHookThatStaysIsTold() {
    Verdict verdict =
        verify(
            PluginJarBuilder.plugin("acme")
                .policy(
                    "oldest",
                    "Runtime.getRuntime().addShutdownHook(new Thread(() -> new Policy()));"));

    assertThat(failure(verdict, "leaves nothing in memory"))
        .contains("something outside holds on to them, such as a shutdown hook");
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
  void aFileThatIsNotThereIsTheUsersMistake() throws Exception {
    Verification verification = verification();
    Path text = Files.writeString(home.resolve("a.txt"), "");

    assertThatThrownBy(() -> verification.run(home.resolve("no.jar")))
        .hasMessage("'%s' is not there, or no file; name a built JAR", home.resolve("no.jar"));
    assertThatThrownBy(() -> verification.run(text))
        .hasMessage("'%s' does not end in .jar; name a built JAR", text);
  }

  private Verification verification() {
    return new Verification(
        Configs.defaults(home).config(), (what, done, total) -> {}, Duration.ofMillis(200));
  }

  private Verdict verify(PluginJarBuilder jar) {
    return verification().run(jar.writeTo(home, "mine.jar"));
  }

  /** What failed, but for what a machine with much else to do may find slow. */
  private static List<Finding> failed(Verdict verdict) {
    return verdict.findings().stream()
        .filter(finding -> !finding.passed() && !finding.check().equals("costs little at any size"))
        .toList();
  }

  private static String failure(Verdict verdict, String check) {
    assertThat(verdict.passed()).isFalse();
    List<Finding> failed =
        verdict.findings().stream()
            .filter(finding -> finding.check().equals(check) && !finding.passed())
            .toList();
    assertThat(failed).as(verdict.toString()).hasSize(1);
    return failed.getFirst().message();
  }
}
