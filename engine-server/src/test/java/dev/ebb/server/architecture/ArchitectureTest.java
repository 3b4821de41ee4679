package dev.ebb.server.architecture;

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
          .importPackages("dev.ebb.server");

  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.ebb.server.(*)..").should().beFreeOfCycles().check(MODULE);
  }

  @Test
  void noPluginsClassIsNamed() {
    noClasses().should().dependOnClassesThat().resideInAPackage("dev.ebb.plugin..").check(MODULE);
  }
}
