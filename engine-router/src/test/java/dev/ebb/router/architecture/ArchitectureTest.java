package dev.ebb.router.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private static final JavaClasses MODULE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.ebb.router");

  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.ebb.router.(*)..").should().beFreeOfCycles().check(MODULE);
  }

  @Test
  void theChoiceKnowsNoConnections() {
    noClasses()
        .that()
        .resideInAnyPackage("dev.ebb.router.choice", "dev.ebb.router.prompt")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.net..", "dev.ebb.router.engine", "dev.ebb.router.server")
        .check(MODULE);
  }
}
