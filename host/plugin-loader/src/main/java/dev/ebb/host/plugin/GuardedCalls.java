package dev.ebb.host.plugin;

import static java.lang.invoke.MethodHandleInfo.REF_invokeStatic;

import java.lang.classfile.Attributes;
import java.lang.classfile.BootstrapMethodEntry;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.ConstantPoolBuilder;
import java.lang.classfile.constantpool.InvokeDynamicEntry;
import java.lang.classfile.constantpool.LoadableConstantEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.MethodHandleEntry;
import java.lang.classfile.constantpool.MethodRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Replaces calls in a class file of a plugin: those that would end the process, or give access to
 * private members, go to {@link PluginGuard}. Calls by reflection stay as they are.
 */
final class GuardedCalls {

  private static final Set<String> ENDS =
      Set.of(
          "java/lang/System.exit(I)V", "java/lang/Runtime.exit(I)V", "java/lang/Runtime.halt(I)V");

  private static final Set<String> MEMBERS =
      Set.of(
          "java/lang/reflect/AccessibleObject",
          "java/lang/reflect/Executable",
          "java/lang/reflect/Field",
          "java/lang/reflect/Method",
          "java/lang/reflect/Constructor");

  private static final Set<String> OF_MEMBERS = Set.of("setAccessible(Z)V", "trySetAccessible()Z");

  private static final Set<String> STATIC =
      Set.of(
          "java/lang/reflect/AccessibleObject.setAccessible"
              + "([Ljava/lang/reflect/AccessibleObject;Z)V",
          "java/lang/invoke/MethodHandles.privateLookupIn"
              + "(Ljava/lang/Class;Ljava/lang/invoke/MethodHandles$Lookup;)"
              + "Ljava/lang/invoke/MethodHandles$Lookup;");

  private static final ClassDesc GUARD = ClassDesc.of(PluginGuard.class.getName());
  private static final ClassDesc MEMBER = ClassDesc.of("java.lang.reflect.AccessibleObject");
  private static final ClassDesc RUNTIME = ClassDesc.of("java.lang.Runtime");

  /** All instructions keep their lengths, so the stack maps of the compiler stay valid. */
  private static final ClassFile FILES = ClassFile.of(ClassFile.StackMapsOption.DROP_STACK_MAPS);

  private GuardedCalls() {}

  /** Returns the class file with these calls replaced; null if it has none, or is damaged. */
  static byte @Nullable [] replaced(byte[] classFile) {
    try {
      ClassModel model = FILES.parse(classFile);
      for (PoolEntry entry : model.constantPool()) {
        if (entry instanceof MemberRefEntry method && (ends(method) || opens(method))) {
          return FILES.transformClass(model, transform());
        }
      }
    } catch (RuntimeException damaged) {
      // The JVM reports what is wrong.
    }
    return null;
  }

  private static ClassTransform transform() {
    return ClassTransform.transformingMethods((method, element) -> {
      if (element instanceof CodeModel code) {
        method.transformCode(code, new Calls(code));
      } else {
        method.with(element);
      }
    });
  }

  private record Calls(CodeModel code) implements CodeTransform {

    @Override
    public void accept(CodeBuilder builder, CodeElement element) {
      ConstantPoolBuilder pool = builder.constantPool();
      switch (element) {
        // A method that overrides setAccessible() may call the original.
        case InvokeInstruction call
            when (ends(call.method()) || opens(call.method()))
                && call.opcode() != Opcode.INVOKESPECIAL ->
            builder.invokestatic(guard(call.method(), call.opcode() == Opcode.INVOKESTATIC, pool));
        case InvokeDynamicInstruction call -> builder.invokedynamic(guarded(call, pool));
        default -> builder.with(element);
      }
    }

    @Override
    public void atEnd(CodeBuilder builder) {
      code.findAttribute(Attributes.stackMapTable()).ifPresent(builder::with);
    }
  }

  private static boolean ends(MemberRefEntry method) {
    return ENDS.contains(text(method));
  }

  private static boolean opens(MemberRefEntry method) {
    return STATIC.contains(text(method))
        || (MEMBERS.contains(method.owner().asInternalName())
            && OF_MEMBERS.contains(method.name().stringValue() + method.type().stringValue()));
  }

  private static String text(MemberRefEntry method) {
    return method.owner().asInternalName()
        + "."
        + method.name().stringValue()
        + method.type().stringValue();
  }

  /** Returns the method of the guard, whose first parameter is the object, if there is one. */
  private static MethodRefEntry guard(
      MemberRefEntry method, boolean isStatic, ConstantPoolBuilder pool) {
    MethodTypeDesc type = MethodTypeDesc.ofDescriptor(method.type().stringValue());
    ClassDesc object = ends(method) ? RUNTIME : MEMBER;
    return pool.methodRefEntry(
        GUARD, method.name().stringValue(), isStatic ? type : type.insertParameterTypes(0, object));
  }

  /** Replaces the methods of method references. */
  private static InvokeDynamicEntry guarded(
      InvokeDynamicInstruction call, ConstantPoolBuilder pool) {
    BootstrapMethodEntry bootstrap = call.invokedynamic().bootstrap();
    List<LoadableConstantEntry> arguments =
        bootstrap.arguments().stream().map(each -> guarded(each, pool)).toList();
    return pool.invokeDynamicEntry(
        pool.bsmEntry(bootstrap.bootstrapMethod(), arguments), call.invokedynamic().nameAndType());
  }

  private static LoadableConstantEntry guarded(
      LoadableConstantEntry argument, ConstantPoolBuilder pool) {
    return argument instanceof MethodHandleEntry handle && ends(handle.reference())
        ? pool.methodHandleEntry(
            REF_invokeStatic, guard(handle.reference(), handle.kind() == REF_invokeStatic, pool))
        : argument;
  }
}
