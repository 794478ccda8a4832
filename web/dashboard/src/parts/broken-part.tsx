import { Button, Stack, Text, Title } from '@mantine/core';
import { Component, type ReactNode } from 'react';

interface Props {
  /** Another one is tried anew. */
  readonly place: string;
  readonly children: ReactNode;
}

/** What is shown in the place of a part that could not be loaded or drawn: without it, the whole page would be empty. */
export class BrokenPart extends Component<Props, { readonly isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override componentDidUpdate({ place }: Props): void {
    if (this.state.isBroken && place !== this.props.place) this.setState({ isBroken: false });
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children;
    return (
      <Stack p="lg" align="start" role="alert">
        <Title order={2}>This part of the page cannot be shown</Title>
        <Text>It could not be loaded, or it met something that it does not understand.</Text>
        <Button onClick={() => window.location.reload()}>Load the page anew</Button>
      </Stack>
    );
  }
}
