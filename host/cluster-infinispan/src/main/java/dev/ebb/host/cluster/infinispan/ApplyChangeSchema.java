package dev.ebb.host.cluster.infinispan;

import org.infinispan.protostream.EnumMarshaller;
import org.infinispan.protostream.FileDescriptorSource;
import org.infinispan.protostream.SerializationContext;
import org.infinispan.protostream.SerializationContextInitializer;

/** Sends {@link ApplyChange} between nodes. */
final class ApplyChangeSchema implements SerializationContextInitializer {

  private static final String TYPE = "dev.ebb.ApplyChange";

  @Override
  public void registerSchema(SerializationContext context) {
    context.registerProtoFiles(
        FileDescriptorSource.fromString(
            "dev-ebb-directory.proto",
            """
            syntax = "proto3";
            package dev.ebb;
            /** @TypeId(1000100) */
            enum ApplyChange {
              APPLY = 0;
            }
            """));
  }

  @Override
  public void registerMarshallers(SerializationContext context) {
    context.registerMarshaller(new Marshaller());
  }

  private static final class Marshaller implements EnumMarshaller<ApplyChange> {

    @Override
    public Class<ApplyChange> getJavaClass() {
      return ApplyChange.class;
    }

    @Override
    public String getTypeName() {
      return TYPE;
    }

    @Override
    public ApplyChange decode(int value) {
      return ApplyChange.APPLY;
    }

    @Override
    public int encode(ApplyChange function) {
      return 0;
    }
  }
}
