package dev.ebb.host.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.TextTemplate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What the modules' poms cannot say: rules between packages of one module, and for the JDK. */
class ArchitectureTest {

  private static final JavaClasses HOST =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("dev.ebb.host");

  private static final Set<String> TEMPLATES =
      Set.of(TextTemplate.class.getName(), Columns.class.getName());

  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.ebb.host.(*)..").should().beFreeOfCycles().check(HOST);
  }

  @Test
  void noTwoClassesHaveTheSameName() {
    Map<String, Long> uses =
        HOST.stream()
            .filter(JavaClass::isTopLevelClass)
            .map(JavaClass::getSimpleName)
            .filter(name -> !name.equals("package-info"))
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));

    assertThat(uses).hasSizeGreaterThan(500);
    assertThat(uses.keySet()).filteredOn(name -> uses.getOrDefault(name, 0L) > 1).isEmpty();
  }

  /** A template looks its paths up when its class is loaded. */
  @Test
  void pathsOfTemplatesExist() {
    List<JavaClass> users =
        HOST.stream()
            .filter(each ->
                each.getFields().stream()
                    .map(field -> field.getRawType().getName())
                    .anyMatch(TEMPLATES::contains))
            .toList();

    assertThat(users).hasSizeGreaterThan(10);
    users.forEach(
        each -> assertThatCode(() -> Class.forName(each.getName())).doesNotThrowAnyException());
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
  void onlyThePluginPackageTouchesPf4j() {
    onlyIn("dev.ebb.host.plugin..", "org.pf4j..");
  }

  @Test
  void theHttpPackageKnowsNothingOfWhatItServes() {
    knowsOnly(
        "dev.ebb.host.http..",
        "dev.ebb.host.errors..",
        "dev.ebb.host.limits..",
        "dev.ebb.host.login..",
        "dev.ebb.host.tls..",
        "dev.ebb.host.units..",
        "dev.ebb.host.values..");
  }

  @Test
  void theClientKnowsNothingOfTheServer() {
    knowsOnly("dev.ebb.host.client..", "dev.ebb.host.errors..", "dev.ebb.host.text..");
  }

  @Test
  void partsOfTheClusterKnowNothingOfTheNodeAndFormNoCycle() {
    noClasses()
        .that()
        .resideInAPackage("dev.ebb.host.cluster.*..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.ebb.host.cluster")
        .check(HOST);
    slices().matching("dev.ebb.host.cluster.(*)..").should().beFreeOfCycles().check(HOST);
  }

  @Test
  void keysKnowNothingOfTheStore() {
    knowsOnly("dev.ebb.host.store.key..", "dev.ebb.host.cache..", "dev.ebb.host.group..");
  }

  @Test
  void thePackagesOfTheStoreKnowOnlyThoseBelow() {
    knowsOnlyBelow("dev.ebb.host.store", "key", "tile", "stats", "chain", "value", "lease");
  }

  @Test
  void thePackagesOfTheCacheKnowOnlyThoseBelow() {
    knowsOnlyBelow("dev.ebb.host.cache", "policy", "stats", "index", "execution");
  }

  @Test
  void thePackagesOfTheEngineKnowOnlyThoseBelow() {
    knowsOnlyBelow(
        "dev.ebb.host.engine", "request", "state", "tier", "stats", "pool", "prune", "sequence");
  }

  @Test
  void lowerPackagesOfTheServerKnowOnlyThoseBelow() {
    knowsOnlyBelow("dev.ebb.host.config", "engine", "server");
    knowsOnlyBelow("dev.ebb.host.disk", "format");
    knowsOnlyBelow("dev.ebb.host.resp", "net", "session");
  }

  /** Packages stay small enough to be seen as a whole. */
  @Test
  void noPackageHasMoreThanThirtyFiles() {
    Map<String, Long> files =
        HOST.stream()
            .filter(JavaClass::isTopLevelClass)
            .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));

    assertThat(files).hasSizeGreaterThan(50);
    assertThat(files).allSatisfy((name, count) -> assertThat(count).as(name).isLessThan(31));
  }

  /** Each package of a module may use those before it; the module's root uses all of them. */
  private static void knowsOnlyBelow(String root, String... packages) {
    for (int i = 0; i < packages.length; i++) {
      Set<String> above = Set.of(Arrays.copyOfRange(packages, i + 1, packages.length));
      String home = root + "." + packages[i];
      assertThat(HOST.stream().anyMatch(each -> each.getPackageName().equals(home))).isTrue();
      noClasses()
          .that()
          .resideInAPackage(home)
          .should()
          .dependOnClassesThat(
              resideInAPackage(root)
                  .or(
                      resideInAnyPackage(
                          above.stream().map(each -> root + "." + each).toArray(String[]::new))))
          .check(HOST);
    }
  }

  /** A package of the host may use these others of the host. */
  private static void knowsOnly(String home, String... others) {
    noClasses()
        .that()
        .resideInAPackage(home)
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.ebb.host..")
                .and(not(resideInAPackage(home)))
                .and(not(resideInAnyPackage(others))))
        .check(HOST);
  }

  private static void onlyIn(String home, String library) {
    noClasses()
        .that()
        .resideOutsideOfPackages(home, "dev.ebb.host.testing..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(library)
        .check(HOST);
  }
}
