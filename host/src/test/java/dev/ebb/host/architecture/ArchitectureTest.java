package dev.ebb.host.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
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
        .resideInAPackage("dev.ebb.host.bench..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.ebb.host.resp..", "dev.ebb.host.objects..", "io.netty..")
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
