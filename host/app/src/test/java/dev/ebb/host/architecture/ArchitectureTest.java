package dev.ebb.host.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private static final JavaClasses HOST =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.ebb.host");

  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.ebb.host.(*)..").should().beFreeOfCycles().check(HOST);
  }

  @Test
  void theHostNamesNoPluginsClass() {
    noClasses().should().dependOnClassesThat().resideInAPackage("dev.ebb.plugin..").check(HOST);
  }

  @Test
  void onlyThePluginPackageTouchesPf4j() {
    onlyIn("dev.ebb.host.plugin..", "org.pf4j..");
  }

  @Test
  void onlyTheCommandLineTouchesPicocli() {
    onlyIn("dev.ebb.host.cli..", "picocli..");
  }

  @Test
  void onlyTheAuthoringPackageTouchesTheTestKit() {
    onlyIn("dev.ebb.host.devkit..", "dev.ebb.testkit..");
  }

  @Test
  void onlyTheWiringTouchesGuice() {
    onlyIn("dev.ebb.host.wiring..", "com.google.inject..");
  }

  @Test
  void onlyTheCudaPackageTouchesJcuda() {
    onlyIn("dev.ebb.host.cuda..", "jcuda..");
  }

  @Test
  void theLoadGeneratorKnowsNothingOfTheServer() {
    noClasses()
        .that()
        .resideInAPackage("dev.ebb.host.loadgen..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.ebb.host.resp..", "dev.ebb.host.store..", "io.netty..")
        .check(HOST);
  }

  @Test
  void onlyTheHttpPackageTouchesTheJdksServer() {
    onlyIn("dev.ebb.host.http..", "com.sun.net.httpserver..");
  }

  @Test
  void onlyTheMetricsPackageTouchesMicrometer() {
    onlyIn("dev.ebb.host.metrics..", "io.micrometer..");
    onlyIn("dev.ebb.host.metrics..", "io.prometheus..");
  }

  @Test
  void onlyTheEvictionsPackageTouchesLogback() {
    onlyIn("dev.ebb.host.evictionlog..", "ch.qos.logback..");
  }

  @Test
  void theHttpPackageKnowsNothingOfWhatItServes() {
    noClasses()
        .that()
        .resideInAPackage("dev.ebb.host.http..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.ebb.host..")
                .and(
                    not(
                        resideInAnyPackage(
                            "dev.ebb.host.http..",
                            "dev.ebb.host.errors..",
                            "dev.ebb.host.units.."))))
        .check(HOST);
  }

  @Test
  void theClientKnowsNothingOfTheServer() {
    noClasses()
        .that()
        .resideInAPackage("dev.ebb.host.client..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.ebb.host..")
                .and(not(resideInAnyPackage("dev.ebb.host.client..", "dev.ebb.host.errors.."))))
        .check(HOST);
  }

  @Test
  void theAccountOfStoredTokensKnowsNoBlocksAndNoPolicies() {
    onlyDependsOn("sequence");
  }

  @Test
  void signalsAndPruningKnowNoSequencesOfTheEngine() {
    onlyDependsOn("signals", "sequence", "device", "pool");
    onlyDependsOn("pruning", "signals", "sequence", "tokens", "pool");
  }

  @Test
  void rulesKnowWhatTheyWatchAndWhoExchangesPolicies() {
    onlyDependsOn("rules", "swap", "cache", "config", "device", "plugin", "errors");
  }

  /** A package of the host may use these others of the host. */
  private static void onlyDependsOn(String home, String... others) {
    String[] allowed =
        Stream.concat(Stream.of(home), Stream.of(others))
            .map(name -> "dev.ebb.host." + name + "..")
            .toArray(String[]::new);
    noClasses()
        .that()
        .resideInAPackage("dev.ebb.host." + home + "..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.ebb.host..").and(not(resideInAnyPackage(allowed))))
        .check(HOST);
  }

  @Test
  void theCacheKnowsTheSpiAndTheWordsForFaultsOnly() {
    classes()
        .that()
        .resideInAPackage("dev.ebb.host.cache..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.ebb.host.cache..",
            "dev.ebb.host.errors..",
            "dev.ebb.spi..",
            "java..",
            "org.HdrHistogram..",
            "org.slf4j..",
            "org.jspecify..")
        .check(HOST);
  }

  @Test
  void onlyTheCommandLineAsksTheModelOfTokenPolicies() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.ebb.host.tokeneval..", "dev.ebb.host.cli..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.ebb.host.tokeneval..")
        .check(HOST);
  }

  private static void onlyIn(String home, String library) {
    noClasses()
        .that()
        .resideOutsideOfPackage(home)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(library)
        .check(HOST);
  }
}
