package dev.ebb.llama.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private static final JavaClasses MODULE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.ebb.llama");

  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.ebb.llama.(*)..").should().beFreeOfCycles().check(MODULE);
  }

  @Test
  void theBindingKnowsNothingOfPoliciesAndHost() {
    onlyDependsOn("dev.ebb.llama.binding..", "dev.ebb.host.errors..", "dev.ebb.server.model..");
  }

  @Test
  void signalsKnowTheBindingAndTheSpi() {
    onlyDependsOn(
        "dev.ebb.llama.signals..",
        "dev.ebb.llama.binding..",
        "dev.ebb.host.errors..",
        "dev.ebb.spi..");
  }

  @Test
  void noPluginsClassIsNamed() {
    noClasses().should().dependOnClassesThat().resideInAPackage("dev.ebb.plugin..").check(MODULE);
  }

  @Test
  void onlyTheBindingCallsC() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.ebb.llama.binding..")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.lang.foreign.Linker")
        .check(MODULE);
  }

  private static void onlyDependsOn(String home, String... allowed) {
    String[] packages = Arrays.copyOf(allowed, allowed.length + 3);
    packages[allowed.length] = home;
    packages[allowed.length + 1] = "java..";
    packages[allowed.length + 2] = "org.jspecify..";
    classes()
        .that()
        .resideInAPackage(home)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(packages)
        .check(MODULE);
  }
}
