"""The wire of the entity dimension."""

from dimensions_site.elements.declaration.choices import BooleanField, EnumField
from dimensions_site.elements.declaration.maps import DescriptionsField
from dimensions_site.elements.declaration.numbers import DecimalTextField
from dimensions_site.elements.declaration.serializers import ElementSerializer, Group, Reference
from dimensions_site.elements.declaration.texts import CodeField
from dimensions_site.elements.declaration.wire import Wire
from tests.entity.choices import Method


class ParentGroup(Group):
    id = CodeField(refers_to="entity")


class EntitySerializer(ElementSerializer):
    descriptions = DescriptionsField()
    method = EnumField(Method, required=True)
    share = DecimalTextField()
    isActive = BooleanField()
    parent = ParentGroup(prefix="parent_")
    currency = Reference(refers_to="currency")


ENTITY_WIRE = Wire(EntitySerializer)
